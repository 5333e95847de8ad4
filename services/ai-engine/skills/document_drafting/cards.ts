import type { Control } from '../../skill.ts'
import type { Bilingual, Language } from '../_shared/language.ts'
import type { DraftDocument } from './document.ts'
import type { GateFault } from './gate.ts'

/**
 * Asks for the names that the forms need: the other side only if the intake does not know it, the court and
 * the addresses only for documents that go to one.
 */
export function detailsCard(
  opposingParty: string | null | undefined,
  inCourt: boolean,
  language: Language,
): Control {
  const ask = (name: string, wording: Bilingual) => ({
    question: wording[language],
    field_key: `document_drafting.details.${name}`,
    input_type: 'text' as const,
    required: false,
  })
  return {
    action: 'ask_user',
    title: { zh: '起草文书还需要以下信息。', en: 'The documents need these details.' }[language],
    questions: [
      ask('client_name', { zh: '您的姓名或名称？', en: 'What is your full name?' }),
      ...(opposingParty
        ? []
        : [
            ask('opposing_name', {
              zh: '对方的姓名或名称？',
              en: 'What is the full name of the other side?',
            }),
          ]),
      ...(inCourt
        ? [
            ask('court', {
              zh: '向哪个法院或仲裁委员会提出？不知道可不填。',
              en: 'Which court or commission is it for? Leave empty if unknown.',
            }),
            ask('client_contact', {
              zh: '您的住所地和联系电话？可以之后手写。',
              en: 'What is your address and telephone number? You may fill it in by hand later.',
            }),
            ask('opposing_contact', {
              zh: '对方的住所地和联系电话？可以之后手写。',
              en: 'What is the address and telephone number of the other side, if you know it?',
            }),
          ]
        : []),
    ],
    skippable: true,
  }
}

const maxFaults = 8

/** What each rule of the gate found, for the person. */
const ruleTexts: Record<GateFault['rule'], Bilingual> = {
  citation: { zh: '引用的条文未能核实', en: 'the citation could not be verified' },
  source: { zh: '没有事实或材料支持', en: 'no fact or file supports it' },
  amount: { zh: '金额没有计算依据', en: 'the amount was not calculated' },
  blank: { zh: '有内容待补充', en: 'something has to be added' },
  unconfirmed: {
    zh: '所依据的事实未经您确认',
    en: 'it rests on a fact that you have not confirmed',
  },
  contradicted: {
    zh: '您的说法与材料的金额不一致，请先选择正确的一项',
    en: 'your sum and that of a file differ; please choose one first',
  },
  stale: {
    zh: '所依据的事实已变更，需要重新计算',
    en: 'a fact that it was calculated with has changed',
  },
}

interface CheckedDrafts {
  documents: DraftDocument[]
  /** What keeps a document back, even if the person confirms. */
  faults: GateFault[]
  /** Lines with the facts in the drafts that the person confirms together with them. */
  readBack?: string[]
}

/** Shows the drafts and what the gate found, and asks whether the drafts that passed may be delivered. */
export function confirmCard(
  skill: string,
  { documents, faults, readBack = [] }: CheckedDrafts,
  language: Language,
): Control {
  const failed = new Set(faults.map(({ document }) => document))
  const say = (zh: string, en: string) => ({ zh, en })[language]
  const titleOf = (key: string) => documents.find((each) => each.key === key)?.title ?? key
  const ready = documents.filter(({ key }) => !failed.has(key)).map(({ title }) => `- ${title}`)
  const open = faults
    .slice(0, maxFaults)
    .map(
      ({ document, text, rule }) =>
        `- ${titleOf(document)}: ${text.slice(0, 80)} (${ruleTexts[rule][language]})`,
    )
  const question = [
    say('以下文书可以交付，请确认内容无误：', 'These documents are ready. Please confirm them:'),
    ...(ready.length > 0 ? ready : [say('- 无', '- none')]),
    ...(readBack.length > 0
      ? [
          say(
            '文书中的以下事实是从您的消息和材料中读到的，确认即表示属实：',
            'The documents state these facts, read from your messages and files. By confirming you say that they are true:',
          ),
          ...readBack,
        ]
      : []),
    ...(open.length > 0
      ? [say('未通过检查，暂不交付：', 'Not delivered, as they failed the check:'), ...open]
      : []),
  ].join('\n')
  return {
    action: 'ask_user',
    review_type: 'confirm',
    title: say('请确认是否交付文书。', 'Please confirm the delivery of the documents.'),
    questions: [
      {
        question: question.slice(0, 2_000),
        field_key: `${skill}.confirmed`,
        input_type: 'boolean',
        required: true,
      },
    ],
    basis: { documents: documents.map(({ key }) => key), faults },
    skippable: true,
  }
}
