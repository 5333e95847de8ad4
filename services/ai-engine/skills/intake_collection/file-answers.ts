import * as z from 'zod'
import type { SkillContext } from '../../skill.ts'
import { amountsIn } from '../_shared/amounts.ts'
import { splitClauses } from '../_shared/clauses.ts'
import { datesIn } from '../_shared/dates.ts'
import { classifyFile } from '../evidence_analysis/kinds.ts'
import { type FieldKey, type Fields, fieldKeys, parseFields } from './fields.ts'
import { fileRules } from './file-rules.ts'

/** Files that the intake reads at most; the evidence analysis reads all. */
const maxFiles = 20

/** An answer that a file gives, with the passage that shows it. */
export interface FileAnswer {
  key: string
  value: unknown
  quote: string
  file_id: string
  filename: string | null
  /** Question that asks for the same sum. */
  sameAs?: string | undefined
}

const LoadedFile = z.object({
  filename: z.string().nullable(),
  content_type: z.string().nullable(),
  text: z.string().nullable(),
})

/** Reads files and returns what they answer for a cause, each question once. Text of files is data. */
export async function readFileAnswers(
  fileIds: string[],
  code: string | null | undefined,
  tools: SkillContext<unknown>['tools'],
  today: string,
): Promise<FileAnswer[]> {
  if (!tools.load_file) return []
  const found: FileAnswer[] = []
  for (const file_id of fileIds.slice(0, maxFiles)) {
    const file = LoadedFile.safeParse(await tools.load_file({ file_id })).data
    if (!file?.text) continue
    const { kind } = classifyFile(file.filename, file.text, file.content_type)
    const answers = answersIn(file.text, kind, code, today)
    found.push(...answers.map((each) => ({ ...each, file_id, filename: file.filename })))
  }
  return found.filter(({ key }, index) => found.findIndex((each) => each.key === key) === index)
}

function answersIn(text: string, kind: string, code: string | null | undefined, today: string) {
  const passages = splitClauses(text).map((clause) => ({
    clause,
    dates: datesIn(clause, today)
      .map(({ date }) => date)
      .filter((date) => date.length === 10),
    amounts: amountsIn(clause).map(({ amount }) => amount),
  }))
  const title = text.trim().split('\n')[0]!.slice(0, 200)
  return fileRules
    .filter(
      ({ kinds, causes, about, notAbout }) =>
        kinds.includes(kind) &&
        (!causes || causes.includes(code ?? '')) &&
        (!about || about.test(text)) &&
        !notAbout?.test(text),
    )
    .flatMap(({ key, where, read, sameAs }) => {
      const matching = where ? passages.filter(({ clause }) => where.test(clause)) : []
      if (!where) return [{ key, value: read(passages), quote: title, sameAs }]
      return matching.length === 0
        ? []
        : [{ key, value: read(matching), quote: matching[0]!.clause.slice(0, 200), sameAs }]
    })
    .filter(({ value }) => value !== undefined)
}

/** Answers to fields of every intake, where neither the person nor the matter gave one. */
export function fieldsFromFiles(answers: FileAnswer[], fields: Fields): Fields {
  const open = answers.filter(
    ({ key }) => fieldKeys.includes(key as FieldKey) && fields[key as FieldKey] == null,
  )
  return parseFields(Object.fromEntries(open.map(({ key, value }) => [key, value])))
}
