import type { Bilingual } from '../_shared/language.ts'

type Level = 'high' | 'medium' | 'low'

/** A change of a clause: a passage that is deleted, and wording that is inserted in its place. */
interface Edit {
  from: string
  to: string
}

export interface ReviewRule {
  rule_id: string
  /** Point of the checklist that the rule belongs to, without the service type. */
  item: string
  level: Level
  /** Articles of that point that the finding rests on. */
  articles: string[]
  problem: Bilingual
}

/** A passage that is a risk wherever it stands. */
interface ClauseRule extends ReviewRule {
  pattern: RegExp
  /** Whether the passage is a risk for a side. Default: for both. */
  concerns?(match: RegExpExecArray, side: string): boolean
  edit(match: RegExpExecArray): Edit
}

const exception: Bilingual = {
  zh: '，但造成对方人身损害，或者因故意、重大过失造成对方财产损失的除外',
  en: ', except for personal injury and for loss caused by intent or gross negligence',
}
const wordingFor = (matched: string, wording: Bilingual) =>
  /\p{Script=Han}/u.test(matched) ? wording.zh : wording.en

/** True unless the passage favours the side of the person. */
const favoursOther = ([, ...groups]: RegExpExecArray, side: string) => {
  const party = groups.find((group) => group)
  return party === undefined || side === '' || !side.includes(party)
}

export const clauseRules: ClauseRule[] = [
  {
    rule_id: 'liability_excluded',
    item: 'liability',
    level: 'high',
    articles: ['《民法典》第五百零六条'],
    pattern:
      /(?:概不负责|不承担任何(?:赔偿|法律|违约)?责任|不负任何责任|免除[^，。；]{0,8}(?:全部|一切)责任)(?!，但)|shall not be liable for any[^.;,]*/iu,
    problem: {
      zh: '免除全部责任。人身损害以及故意、重大过失造成财产损失的免责条款无效。',
      en: 'All liability is excluded. For personal injury, intent and gross negligence this is void.',
    },
    edit: ([matched]) => ({ from: matched, to: matched + wordingFor(matched, exception) }),
  },
  {
    rule_id: 'deposit_too_high',
    item: 'liability',
    level: 'high',
    articles: ['《民法典》第五百八十六条'],
    pattern:
      /定金[^。；]{0,20}?(?:百分之(?:二十[一-九]|[三四五六七八九]十[一-九]?)|(?:2[1-9]|[3-9]\d)(?:\.\d+)?\s?%)/u,
    problem: {
      zh: '定金超过主合同标的额的百分之二十，超过部分不产生定金的效力。',
      en: 'The deposit is above 20 per cent of the price; what exceeds it is no deposit.',
    },
    edit: ([matched]) => ({
      from: matched,
      to: matched.replace(/百分之[二三四五六七八九十]+|\d+(?:\.\d+)?\s?%$/u, '百分之二十'),
    }),
  },
  {
    rule_id: 'penalty_too_high',
    item: 'liability',
    level: 'medium',
    articles: [
      '《民法典》第五百八十五条',
      '《最高人民法院关于适用《民法典》合同编通则若干问题的解释》第六十五条',
    ],
    pattern:
      /(?:每日|每天|按日|每逾期一[日天])[^。；]{0,24}?(?:百分之[一二三四五六七八九十]+|千分之[二三四五六七八九十]+|\d+(?:\.\d+)?\s?%)[^。；，]{0,12}违约金/u,
    problem: {
      zh: '按日计算的违约金可能过分高于损失；超过损失百分之三十的一般可以请求减少。',
      en: 'The daily penalty may exceed the loss by far; above 130 per cent of the loss it can be reduced.',
    },
    edit: ([matched]) => ({
      from: matched,
      to: `${matched}，违约金总额不超过守约方实际损失的百分之一百三十`,
    }),
  },
  {
    rule_id: 'one_sided_change',
    item: 'standard_terms',
    level: 'high',
    articles: ['《民法典》第四百九十七条'],
    pattern:
      /(甲方|乙方)(?:有权|可以?)(?:随时)?(?:单方)?(?:变更|修改|调整)[^，。；]*|(?:本合同的?)?(?:最终)?解释权归(甲方|乙方)[^，。；]*|\b(?:the )?(Seller|Buyer|Supplier|Customer|Party A|Party B) may (?:change|amend|modify)[^.;]*at any time[^.;]*/iu,
    concerns: favoursOther,
    problem: {
      zh: '一方可以单方变更合同或者享有最终解释权，另一方的主要权利没有保障。',
      en: 'One side may change the contract or interpret it alone.',
    },
    edit: ([matched]) => ({
      from: matched,
      to: wordingFor(matched, {
        zh: '本合同的变更和补充应当经双方书面同意',
        en: 'Any change of this contract requires the written consent of both parties',
      }),
    }),
  },
  {
    rule_id: 'one_sided_termination',
    item: 'exit',
    level: 'medium',
    articles: ['《民法典》第五百六十三条', '《民法典》第五百六十五条'],
    pattern:
      /(甲方|乙方)(?:有权|可以?)(?:随时)?(?:单方)?解除(?:本)?合同(?!，但)|\b(?:the )?(Seller|Buyer|Supplier|Customer|Party A|Party B) may terminate this (?:contract|agreement) at any time/iu,
    concerns: favoursOther,
    problem: {
      zh: '一方可以随时解除合同，没有条件、通知期和结算的约定。',
      en: 'One side may terminate at any time, without grounds, notice or settlement.',
    },
    edit: ([matched]) => ({
      from: matched,
      to:
        matched +
        wordingFor(matched, {
          zh: '，但应当提前三十日书面通知对方，并按已履行的部分结算',
          en: ' with thirty days’ written notice, and shall pay for what was performed',
        }),
    }),
  },
  {
    rule_id: 'hardship_excluded',
    item: 'exit',
    level: 'medium',
    articles: ['《最高人民法院关于适用《民法典》合同编通则若干问题的解释》第三十二条'],
    pattern: /(?:情势变更|情事变更)[^。；]{0,24}(?:不适用|不得|排除|放弃)[^。；]*/u,
    problem: {
      zh: '事先排除情势变更的约定无效。',
      en: 'The exclusion of hardship in advance is void.',
    },
    edit: ([matched]) => ({ from: matched, to: '情势变更依照法律规定处理' }),
  },
  {
    rule_id: 'court_and_arbitration',
    item: 'disputes',
    level: 'high',
    articles: ['《民事诉讼法》第三十五条', '《民事诉讼法》第一百二十七条'],
    pattern:
      /[^。；]{0,30}仲裁(?:委员会)?[^。；]{0,12}或(?:者)?[^。；]{0,12}(?:法院|起诉|诉讼)[^。；]*|[^。；]{0,30}(?:法院|起诉|诉讼)[^。；]{0,12}或(?:者)?[^。；]{0,16}仲裁[^。；]*/u,
    problem: {
      zh: '同时约定仲裁和诉讼，争议解决方式不明确。',
      en: 'Both arbitration and a court are named, so that neither is clear.',
    },
    edit: ([matched]) => ({
      from: matched,
      to: '因本合同发生的争议，双方协商解决；协商不成的，向被告住所地有管辖权的人民法院起诉',
    }),
  },
]
