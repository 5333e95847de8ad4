import { citationKey } from '../_shared/citations.ts'
import { detectLanguage, type Language } from '../_shared/language.ts'
import { wordDay } from '../_shared/word-fact.ts'
import type {
  Block,
  DraftDocument,
  RedlineRun,
  Source,
  TableBlock,
} from '../document_drafting/document.ts'
import { form } from '../document_drafting/document.ts'
import type { Clause } from './clauses.ts'
import type { Finding } from './review.ts'

interface Review {
  file_id: string
  filename: string
  truncated: boolean
  clauses: Clause[]
  findings: Finding[]
  language: Language
  today: string
}

const levelLabels = {
  high: { zh: '重大', en: 'major' },
  medium: { zh: '一般', en: 'moderate' },
  low: { zh: '提示', en: 'minor' },
}

const listSources = ({ legal_basis }: Finding, file_id: string): Source[] => [
  { kind: 'file', file_id },
  ...legal_basis.map((citation): Source => ({ kind: 'citation', citation })),
]

/** The opinion: every risk with its clause, the law and the suggested wording. In the person's language. */
export function draftReviewOpinion(review: Review): DraftDocument {
  const { findings, file_id, filename, clauses, language, today } = review
  const say = (zh: string, en: string) => ({ zh, en })[language]
  return {
    key: 'review_opinion',
    title: say('合同审查意见书', 'Contract review'),
    kind: 'legal_opinion',
    filename: say('合同审查意见书.docx', 'contract-review.docx'),
    language,
    blocks: [
      {
        type: 'paragraph',
        text: say(
          `审查文件：${filename}，共 ${clauses.length} 段，发现风险 ${findings.length} 项（${countLevels(findings, language)}）。`,
          `Reviewed: ${filename}, ${clauses.length} paragraphs, ${findings.length} risks (${countLevels(findings, language)}).`,
        ),
        sources: [{ kind: 'file', file_id }],
      },
      ...(review.truncated
        ? [
            {
              type: 'paragraph' as const,
              text: say(
                '文件过长，以上段落之后的内容未经审查。',
                'The file is too long: what follows these paragraphs was not reviewed.',
              ),
              sources: form,
            },
          ]
        : []),
      ...(findings.length > 0 ? [findingsTable(review)] : []),
      {
        type: 'paragraph',
        text: say(
          '本意见按审查清单作出，只就合同文本本身提出修改建议；签署前应由律师核对。',
          'This review follows a checklist and concerns the text alone. A lawyer has to check it before signing.',
        ),
        sources: form,
      },
      {
        type: 'signature',
        lines: [
          say('审查律师（签名）：＿＿＿＿＿＿', 'Lawyer (signature): ____________'),
          wordDay(today, language),
        ],
        sources: form,
      },
    ],
  }
}

/** Number of findings by level: 重大3项、一般2项. */
const countLevels = (findings: Finding[], language: Language) =>
  (['high', 'medium', 'low'] as const)
    .map((level) => [level, findings.filter((each) => each.level === level).length] as const)
    .filter(([, count]) => count > 0)
    .map(([level, count]) => {
      const label = levelLabels[level][language]
      return language === 'zh' ? `${label}${count}项` : `${count} ${label}`
    })
    .join({ zh: '、', en: ', ' }[language]) || { zh: '无', en: 'none' }[language]

function findingsTable({ findings, file_id, language }: Review): TableBlock {
  const missing = { zh: '合同未约定', en: 'not in the contract' }[language]
  return {
    type: 'table',
    widths: [9, 23, 25, 18, 25],
    head: {
      zh: ['级别', '条款', '风险', '依据', '建议文字'],
      en: ['Level', 'Clause', 'Risk', 'Law', 'Suggested wording'],
    }[language],
    rows: findings.map((finding) => ({
      cells: [
        levelLabels[finding.level][language],
        [finding.label, finding.quote || missing].filter((part) => part !== '').join(' '),
        finding.problem,
        finding.legal_basis.map(citationKey).join('\n') || '—',
        finding.suggestion,
      ],
      sources: listSources(finding, file_id),
    })),
  }
}

/** Characters of a first line that is a title. */
const maxTitleLength = 40

/** The contract with the suggested wording as tracked changes. */
export function draftRedline({ findings, file_id, filename, clauses }: Review): DraftDocument {
  const blocks = clauses.map(
    (clause): Block => ({
      type: 'redline',
      runs: markChanges(
        clause.text,
        findings.filter((finding) => finding.clause === clause.index),
      ),
      // The first line of a contract is its title, unless it is a clause.
      ...(clause.index === 0 &&
        clause.label === '' &&
        clause.text.length <= maxTitleLength && { isTitle: true }),
      sources: [{ kind: 'file', file_id }],
    }),
  )
  const added = findings
    .filter(({ clause }) => clause === null)
    .map(
      (finding): Block => ({
        type: 'redline',
        runs: [{ text: finding.suggestion, change: 'insert' }],
        sources: listSources(finding, file_id),
      }),
    )
  const name = filename.replace(/\.[^.]*$/, '')
  return {
    key: 'contract_redline',
    title: `${name}（修订稿）`,
    kind: 'contract_redline',
    filename: `${name}-redline.docx`,
    language: detectLanguage(clauses.map(({ text }) => text).join('\n')) ?? 'zh',
    ownTitle: true,
    blocks: [...blocks, ...added],
  }
}

/** Splits a clause into text that stays, deletions and insertions. What both wordings share stays. */
export function markChanges(text: string, findings: Finding[]): RedlineRun[] {
  const runs: RedlineRun[] = []
  let done = 0
  const edits = findings
    .map(({ quote, suggestion }) => ({ quote, suggestion, at: text.indexOf(quote) }))
    .sort((a, b) => a.at - b.at)
  const push = (run: RedlineRun) => {
    if (run.text !== '') runs.push(run)
  }
  for (const { quote, suggestion, at } of edits) {
    if (at < done) continue
    const shared = commonStart(quote, suggestion)
    push({ text: text.slice(done, at + shared) })
    push({ text: quote.slice(shared), change: 'delete' })
    push({ text: suggestion.slice(shared), change: 'insert' })
    done = at + quote.length
  }
  push({ text: text.slice(done) })
  return runs
}

function commonStart(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
