import * as z from 'zod'
import type { Model } from '../../model/model.ts'
import type { SkillContext } from '../../skill.ts'
import type { CaseFile } from '../_shared/case-file.ts'
import type { Language } from '../_shared/language.ts'
import { pageOf } from '../_shared/quotes.ts'
import { classifyFile, type EvidenceKind } from './kinds.ts'
import { type Link, linkElements } from './link-elements.ts'
import { readByModel } from './refine.ts'
import { findWeaknesses, type Weakness } from './weaknesses.ts'

export const EvidenceItem = z.object({
  file_id: z.string(),
  name: z.string(),
  kind: z.string(),
  proves: z.string(),
  element_ids: z.array(z.string()),
  /** Elements that only a model linked. They make an element weak, never proven. */
  model_element_ids: z.array(z.string()).default([]),
  weaknesses: z.array(z.string()),
  quotes: z.array(z.object({ text: z.string(), page: z.int().optional() })),
  made_by: z.enum(['model', 'rules']),
})
export type EvidenceItem = z.output<typeof EvidenceItem>

const LoadedFile = z.object({
  filename: z.string().nullable(),
  content_type: z.string().nullable(),
  pages: z.int(),
  text: z.string().nullable(),
  truncated: z.boolean(),
})

interface Reader {
  tools: SkillContext<unknown>['tools']
  model: Model | null
  instructions: string
  today: string
}

/** Analyzes one file of the matter. A file that cannot be read is an entry that supports nothing. */
export async function analyzeFile(
  file_id: string,
  caseFile: CaseFile,
  { tools, model, instructions, today }: Reader,
): Promise<EvidenceItem> {
  const { elements, fields, language } = caseFile
  const loaded = LoadedFile.safeParse(await tools.load_file?.({ file_id }))
  const file = loaded.data ?? unreadableFile
  const text = file.text ?? ''
  const kind = classifyFile(file.filename, text, file.content_type)
  const rules = {
    links: linkElements(elements, kind, file.filename, text, today),
    weaknesses: findWeaknesses(file, kind, fields, today),
  }
  const reading =
    model && text.trim() !== ''
      ? await readByModel(text, elements, language, model, instructions)
      : undefined
  const links = mergeLinks(rules.links, reading?.links ?? [])
  const quotes = [...new Set(links.map(({ quote }) => quote))]
  return {
    file_id,
    name: file.filename ?? file_id,
    kind: kind.kind,
    proves: reading?.proves ?? describeProof(kind, links, caseFile, language),
    element_ids: [...new Set(links.map(({ element_id }) => element_id))],
    model_element_ids: links.slice(rules.links.length).map(({ element_id }) => element_id),
    weaknesses: [...new Set<Weakness>([...rules.weaknesses, ...(reading?.weaknesses ?? [])])],
    quotes: quotes.map((quote) => ({
      text: quote,
      ...(file.pages > 1 && { page: pageOf(text, quote) }),
    })),
    made_by: reading ? 'model' : 'rules',
  }
}

const unreadableFile = {
  filename: null,
  content_type: null,
  pages: 0,
  text: null,
  truncated: false,
}

/** The links of the rules, and those that only the model found. */
const mergeLinks = (rules: Link[], model: Link[]): Link[] => [
  ...rules,
  ...model.filter(({ element_id }) => !rules.some((each) => each.element_id === element_id)),
]

function describeProof(
  { label }: EvidenceKind,
  links: Link[],
  { elements }: CaseFile,
  language: Language,
): string {
  const names = links.map(({ element_id }) => {
    const element = elements.find((each) => each.element_id === element_id)!
    return language === 'en' ? (element.name_en ?? element.name) : element.name
  })
  if (names.length === 0)
    return {
      zh: `${label.zh}，尚看不出可以证明的要件。`,
      en: `${label.en}; it supports no element by itself.`,
    }[language]
  return {
    zh: `${label.zh}，用于证明：${names.join('、')}。`,
    en: `${label.en}; supports: ${names.join(', ')}.`,
  }[language]
}
