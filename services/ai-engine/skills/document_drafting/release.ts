import type { DocumentOutput, SkillContext } from '../../skill.ts'
import type { Language } from '../_shared/language.ts'
import type { DraftDocument } from './document.ts'
import type { GateFault } from './gate.ts'
import { renderDocx } from './render-docx.ts'

interface CheckedDocuments {
  documents: DraftDocument[]
  faults: GateFault[]
  today: string
  runtime: SkillContext<unknown>['runtime']
}

/** Renders the documents that passed the gate, after the person confirmed them: as DOCX and as PDF. */
export async function releaseDocuments(
  { documents, faults, today, runtime }: CheckedDocuments,
  language: Language,
): Promise<{ keys: string[]; documents: DocumentOutput[]; reply: string }> {
  const failed = new Set(faults.map(({ document }) => document))
  const passed = documents.filter(({ key }) => !failed.has(key))
  const rendered = await Promise.all(
    passed.map(async (each) => [
      { ...describe(each), content: await renderDocx(each, today) },
      ...(await renderCopy(each, today, runtime)),
    ]),
  )
  const titles = passed.map(({ title }) => title)
  return {
    keys: passed.map(({ key }) => key),
    documents: rendered.flat(),
    reply: releasedMessage(titles)[language],
  }
}

const describe = ({ key, title, kind, filename }: DraftDocument) => ({
  deliverable_key: key,
  title,
  kind,
  filename,
})

/**
 * The PDF of a document, a deliverable of its own. Its fonts are files, so there is none on workerd; the
 * DOCX is delivered everywhere.
 */
async function renderCopy(
  document: DraftDocument,
  day: string,
  runtime: SkillContext<unknown>['runtime'],
): Promise<DocumentOutput[]> {
  if (runtime === 'workerd') return []
  const { renderPdf } = await import('./pdf/render-pdf.node.ts')
  const content = await renderPdf(document, day)
  if (content === null) return []
  return [
    {
      deliverable_key: `${document.key}_pdf`,
      title: document.language === 'zh' ? `${document.title}（PDF）` : `${document.title} (PDF)`,
      kind: document.kind,
      filename: document.filename.replace(/\.docx$/, '.pdf'),
      content,
    },
  ]
}

const releasedMessage = (titles: string[]) => ({
  zh: titles.length > 0 ? `已交付：${titles.join('、')}。` : '没有可以交付的文书。',
  en: titles.length > 0 ? `Delivered: ${titles.join(', ')}.` : 'No document could be delivered.',
})
