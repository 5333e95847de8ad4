import type { DocumentOutput } from '../../skill.ts'
import type { Language } from '../_shared/language.ts'
import type { DraftDocument } from './document.ts'
import type { GateFault } from './gate.ts'
import { renderDocx } from './render-docx.ts'

interface CheckedDocuments {
  documents: DraftDocument[]
  faults: GateFault[]
  today: string
}

/** Renders the documents that passed the gate, after the person confirmed them. */
export async function releaseDocuments(
  { documents, faults, today }: CheckedDocuments,
  language: Language,
): Promise<{ keys: string[]; documents: DocumentOutput[]; reply: string }> {
  const failed = new Set(faults.map(({ document }) => document))
  const passed = documents.filter(({ key }) => !failed.has(key))
  const rendered = await Promise.all(
    passed.map(async (each) => ({
      deliverable_key: each.key,
      title: each.title,
      kind: each.kind,
      filename: each.filename,
      content: await renderDocx(each, today),
    })),
  )
  const titles = passed.map(({ title }) => title)
  return {
    keys: passed.map(({ key }) => key),
    documents: rendered,
    reply: releasedMessage(titles)[language],
  }
}

const releasedMessage = (titles: string[]) => ({
  zh: titles.length > 0 ? `已交付：${titles.join('、')}。` : '没有可以交付的文书。',
  en: titles.length > 0 ? `Delivered: ${titles.join(', ')}.` : 'No document could be delivered.',
})
