import type { Block, DraftDocument, Source } from './document.ts'
import { form } from './document.ts'
import { type DraftBasis, wordDay, wordMoney } from './draft-basis.ts'
import { citationsTable, claimsTable, elementsTable, storyBlock } from './shared-blocks.ts'

const statusLabels = {
  proven: { zh: '已证明', en: 'proven' },
  weak: { zh: '证据不足', en: 'weak' },
  missing: { zh: '缺少证据', en: 'missing' },
}

/** The opinion for the person: facts, issues, evidence, law, amounts, strategy and risk. In their language. */
export function draftLegalOpinion(basis: DraftBasis): DraftDocument {
  const { caseFile, issues, elements, today } = basis
  const { language } = caseFile
  const say = (zh: string, en: string) => ({ zh, en })[language]
  const heading = (zh: string, en: string): Block => ({ type: 'heading', text: say(zh, en) })
  const ofElement = (element_id: string): Source[] =>
    (elements.find((each) => each.element_id === element_id)?.evidence ?? []).map((id) =>
      id.startsWith('intake.') ? { kind: 'fact', key: id } : { kind: 'file', file_id: id },
    )
  return {
    key: 'legal_opinion',
    title: say('法律意见书', 'Legal opinion'),
    kind: 'legal_opinion',
    filename: say('法律意见书.docx', 'legal-opinion.docx'),
    blocks: [
      heading('事实', 'Facts'),
      ...storyBlock(basis),
      elementsTable(basis, language),
      heading('争议焦点', 'Issues'),
      {
        type: 'table',
        head: say('焦点|证明程度|对方可能的抗辩', 'Issue|Proof|Expected defences').split('|'),
        rows: issues.map(({ question, status, respondent, element_id }) => ({
          cells: [
            question,
            statusLabels[status][language],
            respondent.map(({ name }) => name).join('\n'),
          ],
          sources: [...ofElement(element_id), ...form],
        })),
      },
      heading('法律依据', 'Law'),
      citationsTable(basis, language),
      heading('金额', 'Amounts'),
      claimsTable(basis, language),
      ...strategyBlocks(basis),
      {
        type: 'paragraph',
        text: say(
          `本意见依据截至${wordDay(today, 'zh')}的材料作出，提交前应由律师核对。`,
          `This opinion rests on the material of ${today}. A lawyer has to check it before use.`,
        ),
        sources: form,
      },
    ],
  }
}

function strategyBlocks({ caseFile, strategies, risk }: DraftBasis): Block[] {
  const { language } = caseFile
  const say = (zh: string, en: string) => ({ zh, en })[language]
  const [best] = strategies
  const fee = best?.cost && wordMoney(best.cost.high, language)
  return [
    ...(best
      ? ([
          { type: 'heading', text: say('策略', 'Strategy') },
          { type: 'paragraph', text: best.name, sources: form },
          ...best.steps.map(
            (step, index): Block => ({
              type: 'paragraph',
              text: `${index + 1}. ${step}`,
              sources: form,
            }),
          ),
        ] satisfies Block[])
      : []),
    ...(fee
      ? ([
          {
            type: 'paragraph',
            text: say(`案件受理费：${fee}`, `Court fee: ${fee}`),
            sources: [{ kind: 'calculation', id: 'court_fee' }],
          },
        ] satisfies Block[])
      : []),
    ...(risk
      ? ([
          { type: 'heading', text: say('风险', 'Risk') },
          {
            type: 'paragraph',
            text: say(`风险评分：${risk.score}（0至100）`, `Risk score: ${risk.score} (0 to 100)`),
            sources: form,
          },
          ...risk.factors.map(
            ({ name }): Block => ({ type: 'paragraph', text: `- ${name}`, sources: form }),
          ),
        ] satisfies Block[])
      : []),
  ]
}
