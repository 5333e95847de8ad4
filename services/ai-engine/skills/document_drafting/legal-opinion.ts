import { wordDay, wordMoney } from '../_shared/word-fact.ts'
import { weaknessText } from '../evidence_analysis/render.ts'
import { listCitations, listClaimedElements } from './claimed-elements.ts'
import { type Block, type DraftDocument, form, type Source } from './document.ts'
import type { DraftBasis } from './draft-basis.ts'
import {
  citationsTable,
  claimsTable,
  elementRows,
  storyBlock,
  trimExtension,
} from './shared-blocks.ts'
import { wordProof } from './word-proof.ts'

const statusLabels = {
  proven: { zh: '已证明', en: 'proven' },
  weak: { zh: '证据不足', en: 'weak' },
  missing: { zh: '缺少证据', en: 'missing' },
}
const levelLabels = {
  low: { zh: '低', en: 'low' },
  medium: { zh: '中', en: 'medium' },
  high: { zh: '高', en: 'high' },
}

/** A part of the opinion. Parts without content are left out. */
interface Section {
  title: string
  blocks: Block[]
}

/** The opinion for the person: facts, issues, evidence, law, amounts, strategy and risk. In their language. */
export function draftLegalOpinion(basis: DraftBasis): DraftDocument {
  const { caseFile, details, cause, today } = basis
  const { language } = caseFile
  const say = (zh: string, en: string) => ({ zh, en })[language]
  const causeName = language === 'en' ? (cause.name_en ?? cause.name) : cause.name
  const sections: Section[] = [
    { title: say('案件事实', 'Facts'), blocks: factBlocks(basis) },
    { title: say('争议焦点', 'Issues'), blocks: issueBlocks(basis) },
    { title: say('证据评价', 'Evidence'), blocks: evidenceBlocks(basis) },
    {
      title: say('法律依据', 'Law'),
      blocks: listCitations(basis).length > 0 ? [citationsTable(basis, language)] : [],
    },
    {
      title: say('请求与金额', 'Claims and amounts'),
      blocks: basis.calculation.claims.length > 0 ? [claimsTable(basis, language)] : [],
    },
    { title: say('策略', 'Strategy'), blocks: strategyBlocks(basis) },
    { title: say('风险', 'Risk'), blocks: riskBlocks(basis) },
  ]
  return {
    key: 'legal_opinion',
    title: say('法律意见书', 'Legal opinion'),
    subtitle: say(`（${causeName}）`, causeName),
    kind: 'legal_opinion',
    filename: say('法律意见书.docx', 'legal-opinion.docx'),
    language,
    blocks: [
      ...(details.client_name
        ? [
            {
              type: 'paragraph' as const,
              text: say(`致：${details.client_name}`, `To: ${details.client_name}`),
              sources: [{ kind: 'fact' as const, key: 'drafting.client_name' }],
              flush: true,
            },
          ]
        : []),
      ...sections.filter(({ blocks }) => blocks.length > 0).flatMap(numberSection(language)),
      {
        type: 'paragraph',
        text: say(
          `本意见依据截至${wordDay(today, 'zh')}的材料作出，提交前应由律师核对。`,
          `This opinion rests on the material of ${wordDay(today, 'en')}. A lawyer has to check it before use.`,
        ),
        sources: form,
      },
      {
        type: 'signature',
        lines: [
          say('律师（签名）：＿＿＿＿＿＿', 'Lawyer (signature): ____________'),
          wordDay(today, language),
        ],
        sources: form,
      },
    ],
  }
}

/** Headings are numbered 一、二、 in Chinese and 1., 2. in English. */
const numberSection =
  (language: 'zh' | 'en') =>
  ({ title, blocks }: Section, index: number): Block[] => [
    {
      type: 'heading',
      text:
        language === 'zh' ? `${'一二三四五六七八九十'[index]}、${title}` : `${index + 1}. ${title}`,
    },
    ...blocks,
  ]

function factBlocks(basis: DraftBasis): Block[] {
  const { language } = basis.caseFile
  const rows = elementRows(basis, language)
  return [
    ...storyBlock(basis),
    ...(rows.length > 0
      ? [
          {
            type: 'table' as const,
            widths: [28, 72],
            head: { zh: ['要件', '事实和证据'], en: ['Element', 'Facts and evidence'] }[language],
            rows,
          },
        ]
      : []),
  ]
}

function issueBlocks(basis: DraftBasis): Block[] {
  const { caseFile, elements } = basis
  const { language } = caseFile
  const claimed = new Set(listClaimedElements(basis).map(({ element_id }) => element_id))
  const issues = basis.issues.filter(({ element_id }) => claimed.has(element_id))
  const ofElement = (element_id: string): Source[] =>
    (elements.find((each) => each.element_id === element_id)?.evidence ?? []).map((id) =>
      id.startsWith('intake.') ? { kind: 'fact', key: id } : { kind: 'file', file_id: id },
    )
  if (issues.length === 0) return []
  return [
    {
      type: 'table',
      widths: [38, 16, 46],
      head: {
        zh: ['焦点', '证明程度', '对方可能的抗辩'],
        en: ['Issue', 'Proof', 'Expected defences'],
      }[language],
      rows: issues.map(({ question, status, respondent, element_id }) => ({
        cells: [
          question,
          statusLabels[status][language],
          respondent.map(({ name }) => name).join('\n') || '—',
        ],
        sources: [...ofElement(element_id), ...form],
      })),
    },
  ]
}

function evidenceBlocks(basis: DraftBasis): Block[] {
  const { caseFile, items } = basis
  const { language } = caseFile
  if (items.length === 0) return []
  return [
    {
      type: 'table',
      widths: [9, 26, 39, 26],
      head: {
        zh: ['序号', '证据', '证明内容', '不足'],
        en: ['No.', 'File', 'What it shows', 'What weakens it'],
      }[language],
      rows: items.map((item, index) => ({
        cells: [
          String(index + 1),
          trimExtension(item.name),
          wordProof(item, basis, language),
          item.weaknesses
            .map((code) => weaknessText(code, language))
            .join({ zh: '、', en: ', ' }[language]) || '—',
        ],
        sources: [{ kind: 'file', file_id: item.file_id }],
      })),
    },
  ]
}

function strategyBlocks({ caseFile, strategies }: DraftBasis): Block[] {
  const { language } = caseFile
  const say = (zh: string, en: string) => ({ zh, en })[language]
  const [best] = strategies
  if (!best) return []
  const line = (text: string, sources = form): Block => ({ type: 'paragraph', text, sources })
  const fee = best.cost && wordMoney(best.cost.high, language)
  const lastDay = best.last_day && wordDay(best.last_day, language)
  return [
    line(say(`建议：${best.name}。`, `Recommended: ${best.name}.`)),
    ...best.steps.map((step, index) => line(`${index + 1}. ${step}${say('。', '')}`)),
    ...(fee
      ? [
          line(say(`案件受理费：${fee}。`, `Court fee: ${fee}.`), [
            { kind: 'calculation', id: 'court_fee' },
          ]),
        ]
      : []),
    ...(lastDay
      ? [
          line(
            say(
              `时效期间的最后一日：${lastDay}。`,
              `Last day of the limitation period: ${lastDay}.`,
            ),
            [{ kind: 'calculation', id: 'limitation' }],
          ),
        ]
      : []),
  ]
}

function riskBlocks({ caseFile, risk }: DraftBasis): Block[] {
  const { language } = caseFile
  if (!risk) return []
  const level = levelLabels[risk.level][language]
  return [
    {
      type: 'paragraph',
      text: {
        zh: `风险评分：${risk.score}（0至100），风险程度：${level}。`,
        en: `Risk score: ${risk.score} (0 to 100), level: ${level}.`,
      }[language],
      sources: form,
    },
    ...risk.factors.map(({ factor_id, name }, index): Block => {
      const kind = factorLabels[factor_id.split('.')[0]!]
      const text = kind ? kind[language].replace('%', name) : name
      return {
        type: 'paragraph',
        text: language === 'zh' ? `（${index + 1}）${text}` : `(${index + 1}) ${text}`,
        sources: form,
      }
    }),
  ]
}

/** What a risk factor says about its element, by the first part of its id. */
const factorLabels: Record<string, { zh: string; en: string }> = {
  gap: { zh: '证据不足：%', en: 'Not fully proven: %' },
  proof: { zh: '对方可以证明：%', en: 'The other side can prove: %' },
}
