import { useMemo, useState } from 'preact/hooks'
import { request } from '../../api/client.ts'
import { useLoad } from '../../api/use-load.ts'
import { t } from '../../text/text.ts'
import { ArticlePanel } from './article-panel.tsx'
import { type Citation, citationState } from './citation.ts'
import type { RenderText } from './markdown.tsx'

const plain: RenderText = (text) => text
/** Words that a text with a citation contains: a title in brackets, or an article by its number. */
const maybeCites = /《|第.+条|\bArticles?\b/

const none: Citation[] = []
/** Results by text: a message leaves the document and comes back while the thread scrolls. */
const verified = new Map<string, Promise<Citation[]>>()

function verify(text: string): Promise<Citation[]> {
  if (!maybeCites.test(text)) return Promise.resolve(none)
  const known = verified.get(text)
  if (known) return known
  const path = '/api/v1/ai/citations/verify'
  const result = request<{ citations: Citation[] }>(path, { method: 'POST', body: { text } }).then(
    ({ citations }) => citations,
  )
  verified.set(text, result)
  result.catch(() => verified.delete(text))
  return result
}

/** Verifies the articles that an answer cites. Renders citations as buttons, and the panel of the opened one. */
export function useCitations(text: string) {
  const { data: citations = none } = useLoad(`citations ${text}`, () => verify(text))
  const [opened, setOpened] = useState<Citation>()
  const renderText = useMemo(() => {
    const byWords = new Map<string, Citation>()
    for (const citation of citations) {
      const words = text.slice(citation.start ?? 0, citation.end ?? 0)
      if (words && !byWords.has(words)) byWords.set(words, citation)
    }
    if (byWords.size === 0) return plain
    const longestFirst = [...byWords.keys()].sort((one, other) => other.length - one.length)
    const pattern = new RegExp(`(${longestFirst.map(escapePattern).join('|')})`)
    return (part: string) =>
      part.split(pattern).map((words, index) => {
        const citation = byWords.get(words)
        return citation ? (
          <CitationButton key={index} words={words} citation={citation} onOpen={setOpened} />
        ) : (
          words
        )
      })
  }, [citations])
  const panel = opened && (
    <ArticlePanel citation={opened} answer={text} onClose={() => setOpened(undefined)} />
  )
  return { renderText, panel }
}

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

interface CitationButtonProps {
  words: string
  citation: Citation
  onOpen: (citation: Citation) => void
}

const CitationButton = ({ words, citation, onOpen }: CitationButtonProps) => {
  const state = citationState(citation)
  return (
    <button type="button" class={`citation ${state}`} onClick={() => onOpen(citation)}>
      {words}
      <span class="visually-hidden">{t(`citation.${state}`)}</span>
    </button>
  )
}
