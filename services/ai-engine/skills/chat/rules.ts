import type { Fact, Matter } from '../_shared/inputs.ts'
import type { Bilingual, Language } from '../_shared/language.ts'
import { elementLine, type LegalElement, type Passage } from '../_shared/law.ts'
import { type FieldKey, type Fields, fieldKeys } from '../intake_collection/fields.ts'
import { fieldLabel, formatValue } from '../intake_collection/format.ts'
import { filledKeys } from '../intake_collection/products.ts'
import { words } from './words.ts'

export interface ChatMaterial {
  message: string
  language: Language
  matter: Matter
  fields: Fields
  causeName: Bilingual | null
  /** Fields that the intake still needs. */
  missing: string[]
  /** Recalled facts; undefined if recall failed. */
  recalled: Fact[] | undefined
  /** Elements and passages for a question of law. */
  law: { elements: LegalElement[]; passages: Passage[] }
  /** Reason for a reply by rules: no model is configured, or it fails. */
  model: 'absent' | 'failing'
}

export interface ReplySource {
  kind: 'intake' | 'matter' | 'memory' | 'element' | 'document'
  key: string
}

interface RuleReply {
  reply: string
  known: boolean
  sources: ReplySource[]
}

const greetingPattern =
  /^(?:你好|您好|嗨|谢谢|多谢|再见|hi|hello|hey|thanks?|thank you|bye)[\s!！。.~]*$/iu
const statusPattern =
  /进展|进度|状态|到哪|待办|下一步|接下来|还(?:需要|差|缺|要)|\bstatus\b|progress|next step|what(?:'s| is) next|to-?do|pending|missing/iu
export const lawPattern =
  /法律|法条|条款|合法|违法|时效|判|能不能|能否|可不可以|可以.{0,12}吗|是否|责任|胜诉|怎么办|如何|怎么|应该|违约|有效|无效|赔多少|\blaw|legal|statute|limitation|liab|\bsue\b|court|entitled|valid|can i\b|should i\b|how do i\b|rights?\b|\bwin\b/iu
const fieldPatterns: [RegExp, FieldKey[]][] = [
  [/多少钱|金额|数额|how much|amount/iu, ['amount', 'monthly_wage']],
  [/什么时候|哪天|哪一天|何时|日期|\bwhen\b|\bdate\b/iu, ['event_date', 'employment_start']],
  [/对方是|被告是|谁|\bwho\b|other side|opposing/iu, ['opposing_party', 'client_role']],
  [/证据|evidence|proof/iu, ['evidence']],
  [/目标|诉求|\baim\b|\bgoal\b/iu, ['aim']],
]

/** Replies from known data and states what is not known. */
export function answerByRules(material: ChatMaterial): RuleReply {
  const { message, language, recalled } = material
  if (greetingPattern.test(message.trim())) {
    return { reply: words.greeting[language], known: true, sources: [] }
  }
  const law = lawPattern.test(message)
  const matchedFields = fieldPatterns
    .filter(([pattern]) => pattern.test(message))
    .flatMap(([, keys]) => keys)
    .filter((key) => material.fields[key] != null)
  const state = statusPattern.test(message) || message.trim() === ''
  const facts = (recalled ?? []).filter(({ entity_key }) => !entity_key.startsWith('intake.'))
  const hasLaw = lawSources(material.law).length > 0
  const found = matchedFields.length > 0 || state || facts.length > 0 || hasLaw
  const sections: ReplySection[] = [
    ...(matchedFields.length > 0 ? [fieldSection(material, matchedFields)] : []),
    ...(state ? [statusSection(material)] : []),
    ...(facts.length > 0 ? [memorySection(facts)] : []),
    ...lawSections(material),
    ...((law && !hasLaw) || !found ? [limitsSection(material, law)] : []),
    // Without a reply, the collected fields are shown.
    ...(matchedFields.length === 0 && !state && ((law && !hasLaw) || !found)
      ? [fieldSection(material, filledKeys(material.fields))]
      : []),
    ...(recalled === undefined ? [{ head: words.noMemory, lines: [], sources: [] }] : []),
  ]
  return {
    reply: sections
      .map((section) => renderSection(section, language))
      .filter((each) => each !== '')
      .join('\n\n'),
    known: found && (!law || hasLaw),
    sources: sections.flatMap(({ sources }) => sources),
  }
}

interface ReplySection {
  head: Bilingual
  lines: string[] | null
  sources: ReplySource[]
}

/** Renders a heading with lines. `lines: null` renders nothing. */
const renderSection = ({ head, lines }: ReplySection, language: Language) =>
  lines === null ? '' : [head[language], ...lines.map((line) => `- ${line}`)].join('\n')

function fieldSection(
  { fields, causeName, language }: ChatMaterial,
  keys: FieldKey[],
): ReplySection {
  const lines = keys
    .filter((key) => key !== 'evidence_files')
    .map((key) => {
      const value = formatValue(key, fields, language, causeName)
      return `${fieldLabel(key, language)}: ${value.length > 300 ? `${value.slice(0, 300)}…` : value}`
    })
  return {
    head: words.collected,
    lines: lines.length > 0 ? lines : null,
    sources: keys.map((key) => ({ kind: 'intake', key })),
  }
}

function statusSection({ matter, missing, language }: ChatMaterial): ReplySection {
  const formatLabel = (key: string) => {
    const name = phaseNames[key] ?? todoNames[key]
    return name ? name[language] : key
  }
  const phases = matter.phases ?? []
  const todos = (matter.todos ?? []).filter(({ status }) => status === 'OPEN')
  const open = fieldKeys.filter((key) => missing.includes(key))
  const lines = [
    ...phases.map(
      ({ phase_id, status }) =>
        `${formatLabel(phase_id)}: ${statuses[status]?.[language] ?? status}`,
    ),
    ...todos.map(({ todo_key }) => `${words.todo[language]}: ${formatLabel(todo_key)}`),
    ...open.map((key) => `${words.stillNeeded[language]}: ${fieldLabel(key, language)}`),
  ]
  return {
    head: lines.length > 0 ? words.state : words.noState,
    lines,
    sources: [
      ...phases.map(({ phase_id }): ReplySource => ({ kind: 'matter', key: phase_id })),
      ...todos.map(({ todo_key }): ReplySource => ({ kind: 'matter', key: todo_key })),
    ],
  }
}

const memorySection = (facts: Fact[]): ReplySection => ({
  head: words.remembered,
  lines: facts.slice(0, 5).map(({ content }) => content.slice(0, 400)),
  sources: facts.slice(0, 5).map(({ entity_key }) => ({ kind: 'memory', key: entity_key })),
})

/** Sections on law: elements of the cause, passages, and a disclaimer. */
function lawSections({ law, language }: ChatMaterial): ReplySection[] {
  const { elements, passages } = law
  if (elements.length + passages.length === 0) return []
  const lines = (passages: Passage[]) =>
    passages.map(({ title, content }) => `${title}: ${content.slice(0, 300)}`)
  return [
    {
      head: words.elements,
      lines: elements.length > 0 ? elements.map((one) => elementLine(one, language)) : null,
      sources: lawSources({ elements, passages: [] }),
    },
    {
      head: words.passages,
      lines: passages.length > 0 ? lines(passages) : null,
      sources: lawSources({ elements: [], passages }),
    },
    { head: words.general, lines: [], sources: [] },
  ]
}

export const lawSources = ({ elements, passages }: ChatMaterial['law']): ReplySource[] => [
  ...elements.map(({ element_id }): ReplySource => ({ kind: 'element', key: element_id })),
  ...passages.map(({ document_id }): ReplySource => ({ kind: 'document', key: document_id })),
]

const limitsSection = ({ model }: ChatMaterial, law: boolean): ReplySection => ({
  head: law ? words.needsAnalysis[model] : words.notKnown[model],
  lines: [],
  sources: [],
})

const phaseNames: Record<string, Bilingual> = {
  intake: { zh: '信息收集', en: 'Intake' },
  analysis: { zh: '案情分析', en: 'Analysis' },
  strategy: { zh: '策略', en: 'Strategy' },
  drafting: { zh: '文书起草', en: 'Drafting' },
  delivery: { zh: '交付', en: 'Delivery' },
}
const todoNames: Record<string, Bilingual> = {
  intake_collection: { zh: '补充信息', en: 'Complete the intake' },
  dispatch_lawyer: { zh: '指派律师', en: 'Assign a lawyer' },
}
const statuses: Record<string, Bilingual> = {
  PENDING: { zh: '未开始', en: 'not begun' },
  IN_PROGRESS: { zh: '进行中', en: 'in progress' },
  COMPLETED: { zh: '已完成', en: 'done' },
  SKIPPED: { zh: '已跳过', en: 'skipped' },
}
