import { t } from '../../text/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Badge, type Tone } from '../../ui/state.tsx'
import { type Citation, type CitationState, citationState, findQuote } from './citation.ts'

const tones: Record<CitationState, Tone> = { verified: 'good', outdated: 'warn', missing: 'bad' }

interface ArticlePanelProps {
  citation: Citation
  /** Text that cites the article; its quote is highlighted. */
  answer: string
  onClose: () => void
}

/** The cited article with its state, its edition and the quoted passage. */
export function ArticlePanel({ citation, answer, onClose }: ArticlePanelProps) {
  const { law, article, content, edition, now } = citation
  const state = citationState(citation)
  return (
    <Dialog kind="panel" title={t('citation.title', { law, article })} onClose={onClose}>
      <p>
        <Badge tone={tones[state]} text={t(`citation.${state}`)} />
      </p>
      {edition?.effective_from && (
        <p class="faint">{t('citation.since', { day: edition.effective_from })}</p>
      )}
      {edition?.effective_to && (
        <p class="faint">{t('citation.until', { day: edition.effective_to })}</p>
      )}
      {content ? (
        <ArticleText content={content} quote={findQuote(content, answer)} />
      ) : (
        <p>{t('citation.noText')}</p>
      )}
      {now && <p>{t('citation.now', { law: now.law, article: now.article })}</p>}
    </Dialog>
  )
}

function ArticleText({ content, quote }: { content: string; quote: string }) {
  if (quote === '') return <p class="article">{content}</p>
  const at = content.indexOf(quote)
  return (
    <p class="article">
      {content.slice(0, at)}
      <mark>{quote}</mark>
      {content.slice(at + quote.length)}
    </p>
  )
}
