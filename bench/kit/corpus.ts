import type { Random } from '../support/random.ts'
import { chinese, english } from './vocabulary.ts'

type TextGenerator = (random: Random) => string

const name: TextGenerator = (r) =>
  r.zipf(chinese.surname) + r.pick(chinese.given) + (r.chance(0.7) ? r.pick(chinese.given) : '')
const company: TextGenerator = (r) =>
  `${r.zipf(chinese.city)}${r.pick(chinese.given)}${r.pick(chinese.given)}${r.zipf(chinese.trade)}有限公司`
const amount: TextGenerator = (r) => {
  const yuan = r.between(1, 9_999) * r.pick([10, 100, 1000])
  return r.chance(0.5) ? `${String(yuan).replace(/\B(?=(\d{3})+$)/g, ',')}元` : `人民币${yuan}元`
}
const date: TextGenerator = (r) =>
  `${r.between(2008, 2025)}年${r.between(1, 12)}月${r.between(1, 28)}日`
const caseNumber: TextGenerator = (r) =>
  `(${r.between(2012, 2025)})${r.zipf(chinese.region)}0${r.between(1, 9)}民${r.pick(['初', '终', '再'])}${r.between(1, 9_999)}号`
const matter: TextGenerator = (r) => r.zipf(chinese.matter)
const act: TextGenerator = (r) => r.zipf(chinese.act)
const evidence: TextGenerator = (r) => r.zipf(chinese.evidence)
const role: TextGenerator = (r) => r.zipf(chinese.role)
const article: TextGenerator = (r) => `《民法典》第${r.between(1, 1260)}条`
const surname: TextGenerator = (r) => {
  const text = Array.from({ length: r.between(2, 3) }, () => r.pick(english.syllable)).join('')
  return text[0]!.toUpperCase() + text.slice(1)
}
const noun: TextGenerator = (r) => r.zipf(english.noun)
const verb: TextGenerator = (r) => r.zipf(english.verb)

/** Sentence templates in both languages, frequent ones first. */
const sentences: TextGenerator[] = [
  (r) =>
    `${role(r)}${name(r)}与${company(r)}于${date(r)}${act(r)}${matter(r)}合同，约定${matter(r)}为${amount(r)}。`,
  (r) => `${role(r)}${act(r)}${matter(r)}，${role(r)}至今未${act(r)}。`,
  (r) => `${name(r)}${act(r)}${evidence(r)}，证明${matter(r)}${amount(r)}已经${act(r)}。`,
  (r) => `The ${noun(r)} of ${surname(r)} ${verb(r)} the ${noun(r)} ${r.zipf(english.manner)}.`,
  (r) => `${matter(r)}纠纷一案，案号${caseNumber(r)}，由${r.zipf(chinese.court)}审理。`,
  (r) => `${role(r)}主张依据${article(r)}${act(r)}${matter(r)}。`,
  (r) => `客户${name(r)}希望先${act(r)}，不愿意${act(r)}。`,
  (r) =>
    `${surname(r)} & ${surname(r)} Ltd. ${verb(r)} ${noun(r)} for ${matter(r)} of ${amount(r)}.`,
  (r) => `${evidence(r)}由${name(r)}保管，${date(r)}${act(r)}。`,
  (r) => `Counsel notes that ${noun(r)} and ${noun(r)} depend on ${evidence(r)}.`,
  (r) =>
    `联系电话1${r.between(30, 99)}${r.between(10_000_000, 99_999_999)}，住${r.zipf(chinese.city)}市${r.pick(chinese.given)}${r.pick(chinese.given)}路${r.between(1, 999)}号。`,
]

/** Generates the content of a fact: usually one sentence, sometimes a paragraph. */
export function generateContent(random: Random): string {
  let text = random.zipf(sentences)(random)
  while (text.length < 600 && random.chance(0.35)) text += random.zipf(sentences)(random)
  return text
}

/** Unique key of the n-th fact. */
export const entityKey = (random: Random, n: number) =>
  `${random.zipf(english.noun)}.${random.zipf(english.noun)}.${n}`

const common: TextGenerator[] = [matter, act, evidence, role, noun, verb]
const rare: TextGenerator[] = [name, company, caseNumber, article, surname, amount, date]

/** Generates a query of 2 to 12 words with a share of rare words. */
export function generateQuestion(random: Random): string {
  const length = random.between(2, 12)
  const share = random.pick([0, 0.2, 0.5])
  const word = () => random.pick(random.chance(share) ? rare : common)(random)
  return Array.from({ length }, word)
    .map((word) => (/^[a-z]/i.test(word) ? ` ${word} ` : word))
    .join(random.pick([' ', '', '，']))
}
