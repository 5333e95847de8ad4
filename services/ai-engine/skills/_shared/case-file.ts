import * as z from 'zod'
import { type CauseElement, CauseRecord } from '../../cause-tools.ts'
import { factValues } from '../../facts.ts'
import type { SkillContext } from '../../skill.ts'
import { recognizeCause } from '../intake_collection/cause.ts'
import { type FieldKey, type Fields, fieldKeys, parseFields } from '../intake_collection/fields.ts'
import { readFigures } from '../intake_collection/figures.ts'
import { fieldsFromMatter } from '../intake_collection/gather.ts'
import { extractByRules } from '../intake_collection/rules.ts'
import { meetsConditions } from './conditions.ts'
import { isOwnStatement, readUnconfirmed } from './confirmation.ts'
import { elementQuestions } from './element-questions.ts'
import { FileIds, Matter, Messages, personTexts, SharedFacts, SkillState, Text } from './inputs.ts'
import { type Language, lastLanguage } from './language.ts'
import { answeredSide, partySideIn } from './party-side.ts'

type Tools = SkillContext<unknown>['tools']

/** Inputs of the skills that work on a case. */
export const caseInputs = {
  message: Text,
  messages: Messages,
  file_ids: FileIds,
  matter: Matter,
  facts: SharedFacts,
  intake_collection: SkillState,
}
const CaseInputs = z.object(caseInputs)
export type CaseInputs = z.output<typeof CaseInputs>

/** A fact of the case. `key` is its entity_key in the matter. */
export interface CaseFact {
  key: string
  value: unknown
  /** Passage that the fact was found in. */
  quote: string | null
  found_by: string
  /** Whether the person stated or confirmed it. Only such facts enter calculations and documents. */
  confirmed: boolean
}

/** All that the skills know about a case. */
export interface CaseFile {
  texts: string[]
  language: Language
  fields: Fields
  facts: CaseFact[]
  /** Null if the cause of action is unknown or knowledge-service is unavailable. */
  cause: CauseRecord | null
  /** Elements that the claim of this case rests on. */
  elements: CauseElement[]
}

/**
 * Collects the case: the facts that the skills share, else what the matter holds, else what rules read from
 * the texts. A skill that is executed alone therefore works without an intake.
 */
export async function loadCase(inputs: CaseInputs, tools: Tools, today: string): Promise<CaseFile> {
  const { matter, facts: known, intake_collection: intake } = inputs
  const values = factValues(known)
  const texts = personTexts(inputs.messages, inputs.message)
  const language = lastLanguage(texts) ?? (intake.language === 'en' ? 'en' : 'zh')
  const fromTexts = readTexts(texts, today)
  // What the person rejected or does not know is not read from texts or from the matter again.
  const isDeclined = (name: string) => known[name]?.value === null
  const fields = withoutNulls(
    { ...fromTexts.fields, ...fieldsFromMatter(matter), ...withoutNulls(parseFields(values)) },
    isDeclined,
  )
  const code = fields.cause_of_action_code ?? (await recognizedCode(tools, texts))
  const cause = await loadCauseRecord(tools, code)
  const profile = matter.profile ?? {}
  const details = readDetails(cause, values, profile).filter(({ name }) => !isDeclined(name))
  const ofMatter: Fields = fieldsFromMatter(matter)
  const unconfirmed = readUnconfirmed(profile)
  const isOfMatter = (name: string, value: unknown) =>
    fieldKeys.includes(name as FieldKey) ? ofMatter[name as FieldKey] === value : true
  const facts = [
    ...fieldKeys.flatMap((key) =>
      fields[key] == null ? [] : [{ key: `intake.${key}`, name: key, value: fields[key] }],
    ),
    ...details,
  ].map(({ key, name, value }) => ({
    key,
    value,
    quote: known[name]?.quote ?? fromTexts.quotes[name] ?? null,
    found_by: known[name]?.source ?? (isOfMatter(name, value) ? 'matter' : 'rules'),
    confirmed:
      known[name]?.confirmed === true ||
      isOwnStatement(name, value, texts) ||
      (known[name] === undefined && isOfMatter(name, value) && !unconfirmed.includes(name)),
  }))
  return {
    texts,
    language,
    fields,
    facts,
    cause,
    elements: claimElements(cause, facts, fields, texts).filter(
      ({ only_if }) => meetsConditions(only_if, facts) !== false,
    ),
  }
}

function readTexts(texts: string[], today: string) {
  const figures = readFigures(texts.join('\n'), today).filter(({ certain }) => certain)
  const fields: Fields = { ...extractByRules(texts) }
  for (const { key, value } of figures) Object.assign(fields, { [key]: value })
  const quotes: Record<string, string> = Object.fromEntries(
    figures.map(({ key, quote }) => [key, quote]),
  )
  return { fields, quotes }
}

async function recognizedCode(tools: Tools, texts: string[]): Promise<string | undefined> {
  if (texts.length === 0) return undefined
  const { clear, candidates } = await recognizeCause(tools, texts.join('\n'))
  return clear ?? candidates.find(({ quotes }) => quotes.length > 0)?.code
}

async function loadCauseRecord(
  tools: Tools,
  code: string | null | undefined,
): Promise<CauseRecord | null> {
  if (!code || code === 'other' || !tools.load_cause) return null
  return CauseRecord.safeParse(await tools.load_cause({ cause_of_action_code: code })).data ?? null
}

/** Answers to the questions of the cause that are not fields of every intake. */
function readDetails(
  cause: CauseRecord | null,
  values: Record<string, unknown>,
  profile: Record<string, unknown>,
) {
  const names = (cause?.elements ?? []).flatMap(({ questions }) =>
    elementQuestions(questions).map(({ key }) => key),
  )
  return [...new Set(names)]
    .filter((name) => !fieldKeys.includes(name as FieldKey))
    .map((name) => ({
      key: `intake.${name}`,
      name,
      value: values[name] ?? memberAt(profile, name),
    }))
    .filter(({ value }) => value != null && value !== '')
}

function memberAt(source: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined,
      source,
    )
}

/**
 * Elements of the side that claims. A cause that either side brings has elements for each; which side the
 * person is on follows from the answer on their role (a tenant and a subtenant are both the party Tenant),
 * else from the words of a party that claims.
 */
function claimElements(
  cause: CauseRecord | null,
  facts: CaseFact[],
  { client_role }: Fields,
  texts: string[],
): CauseElement[] {
  if (!cause) return []
  const answer = facts.find(({ key }) => key.endsWith('.role'))?.value
  const answered =
    answeredSide(cause.code, answer, client_role) ??
    cause.parties.find(
      ({ role, name_en }) =>
        role === answer || (name_en && String(answer).endsWith(name_en.toLowerCase())),
    )?.role
  const stated = client_role === 'respondent' ? undefined : partySideIn(cause.code, texts)
  const own = answered ?? stated
  if (own === undefined) return cause.elements
  const claims = (role: string) => (client_role === 'respondent' ? role !== own : role === own)
  return cause.elements.filter(({ side }) => !side || claims(side))
}

const withoutNulls = (fields: Fields, isLeftOut = (_: string) => false): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => value != null && !isLeftOut(key)),
  )
