import { citationKey } from '../_shared/citations.ts'
import type { Language } from '../_shared/language.ts'
import type { Block, DraftDocument, RedlineRun, Source } from '../document_drafting/document.ts'
import { form } from '../document_drafting/document.ts'
import { wordDay } from '../document_drafting/draft-basis.ts'
import type { Clause } from './clauses.ts'
import type { Finding } from './review.ts'

interface Review {
  file_id: string
  filename: string
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
  const missing = say('合同未约定', 'not in the contract')
  return {
    key: 'review_opinion',
    title: say('合同审查意见书', 'Contract review'),
    kind: 'legal_opinion',
    filename: say('合同审查意见书.docx', 'contract-review.docx'),
    blocks: [
      {
        type: 'paragraph',
        text: say(
          `审查文件：${filename}，共 ${clauses.length} 段，发现风险 ${findings.length} 项。`,
          `Reviewed: ${filename}, ${clauses.length} paragraphs, ${findings.length} risks.`,
        ),
        sources: [{ kind: 'file', file_id }],
      },
      {
        type: 'table',
        head: say('级别,条款,风险,依据,建议文字', 'Level,Clause,Risk,Law,Suggested wording').split(
          ',',
        ),
        rows: findings.map((finding) => ({
          cells: [
            levelLabels[finding.level][language],
            [finding.label, finding.quote || missing].filter((part) => part !== '').join(' '),
            finding.problem,
            finding.legal_basis.map(citationKey).join('\n'),
            finding.suggestion,
          ],
          sources: listSources(finding, file_id),
        })),
      },
      { type: 'paragraph', text: wordDay(today, language), sources: form, align: 'right' },
    ],
  }
}

/** The contract with the suggested wording as tracked changes. */
export function draftRedline({ findings, file_id, filename, clauses }: Review): DraftDocument {
  const blocks = clauses.map(
    (clause): Block => ({
      type: 'redline',
      runs: markChanges(
        clause.text,
        findings.filter((finding) => finding.clause === clause.index),
      ),
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
