import type { Bilingual } from '../_shared/language.ts'
import type { ReviewRule } from './clause-rules.ts'

/** A subject that a contract must settle. */
interface SubjectRule extends ReviewRule {
  subject: RegExp
  wording: Bilingual
}

export const subjectRules: SubjectRule[] = [
  {
    rule_id: 'acceptance_missing',
    item: 'performance',
    level: 'medium',
    articles: ['《民法典》第六百二十一条'],
    subject: /验收|检验|accept(?:ance)? (?:test|period|of)|inspect/iu,
    problem: {
      zh: '没有约定验收标准和异议期。',
      en: 'Neither acceptance nor the period for objections is settled.',
    },
    wording: {
      zh: '收货方应当在收到标的物之日起七日内验收，并将数量或者质量不符合约定的情形书面通知对方。',
      en: 'The recipient inspects the goods within seven days of receipt and notifies defects in writing.',
    },
  },
  {
    rule_id: 'payment_missing',
    item: 'subject_price',
    level: 'high',
    articles: ['《民法典》第四百七十条', '《民法典》第五百一十一条'],
    subject: /付款|支付|付清|结算|shall pay|payment/iu,
    problem: {
      zh: '没有约定付款的时间和方式。',
      en: 'Time and manner of payment are not settled.',
    },
    wording: {
      zh: '付款方应当在验收合格之日起七日内，凭对方开具的合法发票付清价款。',
      en: 'The price is paid within seven days of acceptance, against a valid invoice.',
    },
  },
  {
    rule_id: 'liability_missing',
    item: 'liability',
    level: 'medium',
    articles: ['《民法典》第五百八十五条'],
    subject: /违约|赔偿|breach|damages|penalt/iu,
    problem: { zh: '没有约定违约责任。', en: 'Liability for breach is not settled.' },
    wording: {
      zh: '一方违约的，应当赔偿对方因此受到的损失。',
      en: 'A party in breach compensates the loss of the other party.',
    },
  },
  {
    rule_id: 'force_majeure_missing',
    item: 'exit',
    level: 'low',
    articles: ['《民法典》第五百九十条'],
    subject: /不可抗力|force majeure/iu,
    problem: { zh: '没有约定不可抗力的通知和处理。', en: 'Force majeure is not settled.' },
    wording: {
      zh: '因不可抗力不能履行的，应当及时通知对方，并在合理期限内提供证明。',
      en: 'A party prevented by force majeure notifies the other in time and provides proof.',
    },
  },
  {
    rule_id: 'disputes_missing',
    item: 'disputes',
    level: 'medium',
    articles: ['《民事诉讼法》第三十五条'],
    subject: /争议|仲裁|法院|dispute|arbitrat|court/iu,
    problem: {
      zh: '没有约定争议解决方式和管辖。',
      en: 'Dispute resolution and jurisdiction are not settled.',
    },
    wording: {
      zh: '因本合同发生的争议，双方协商解决；协商不成的，向被告住所地有管辖权的人民法院起诉。',
      en: 'Disputes are settled by negotiation, otherwise by the court at the domicile of the defendant.',
    },
  },
]
