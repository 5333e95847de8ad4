import { getField, isFieldKey } from '../intake_collection/fields.ts'
import { fieldLabel, formatPlain, formatValue } from '../intake_collection/format.ts'
import { formatMoney } from './amounts.ts'
import type { CaseFact, CaseFile } from './case-file.ts'
import { isCalendarDate } from './dates.ts'
import { type AskedFact, elementQuestions } from './element-questions.ts'
import type { Language } from './language.ts'

/** Label and value of a fact, as documents and cards write it. */
export function wordFact(
  { key, value }: CaseFact,
  { fields, cause }: CaseFile,
  language: Language,
): [label: string, value: string] {
  const name = key.replace(/^intake\./, '')
  const asked = (cause?.elements ?? [])
    .flatMap(({ questions }) => elementQuestions(questions))
    .find((each) => each.key === name)
  if (asked) return [wordQuestion(asked, language), wordValue(value, asked, language)]
  if (!isFieldKey(name)) return [name, wordValue(value, undefined, language)]
  const causeName = cause && { zh: cause.name, en: cause.name_en ?? cause.name }
  const shown =
    wordTyped(value, getField(name).input, language) ??
    formatValue(name, fields, language, causeName)
  return [fieldLabel(name, language), shown]
}

/** A question as a label: in Chinese the subject that it asks for, without mark and hints. */
function wordQuestion({ wording }: AskedFact, language: Language): string {
  const [first = ''] = wording[language].split(/(?<=[？?])/)
  return language === 'zh' ? nameSubject(first.replace(/[？?]$/, '')) : first
}

/** 您的月工资是多少元 → 月工资. A question with its verb at the end stays; the person speaks of 本人. */
function nameSubject(question: string): string {
  const subject = question
    .replace(/^您(?:的|(?=[在与]))/, '')
    .replace(/是什么关系$/, '的关系')
    .replace(/(?:是|为)(?:什么|哪一天|哪天|何时|哪里|谁)$/, '')
    .replace(/(?:大约|约|各|共|是|了)*多少元$/, '')
    .replaceAll('您', '本人')
  return subject.length > 1 ? subject : question
}

/** Label and value in one line. An English question keeps its mark. */
export const joinFact = ([label, value]: [label: string, value: string], language: Language) =>
  language === 'zh'
    ? `${label}：${value}`
    : /\?$/.test(label)
      ? `${label} ${value}`
      : `${label}: ${value}`

function wordValue(value: unknown, asked: AskedFact | undefined, language: Language): string {
  const word = (each: unknown): string => {
    const option = asked?.options.find((known) => known.value === each)
    if (option) return option.label[language]
    const typed = wordTyped(each, asked?.input_type, language)
    if (typed !== undefined) return typed
    // A number that is no sum of money is shown as it is.
    if (typeof each === 'number') return `${each}${asksPercent(asked) ? '%' : ''}`
    return formatPlain(each, language) ?? String(each)
  }
  return (Array.isArray(value) ? value : [value]).map(word).join(language === 'zh' ? '、' : ', ')
}

const asksPercent = (asked: AskedFact | undefined) => asked?.wording.zh.includes('百分之') === true

/** A sum of money or a day; undefined for any other input. */
function wordTyped(value: unknown, input: string | undefined, language: Language) {
  if (input === 'money' && typeof value === 'number') return wordMoney(value, language)
  if (input === 'date' && typeof value === 'string') return wordDay(value, language)
  return undefined
}

/** A sum of money in the form of the documents. */
export const wordMoney = (amount: number, language: Language) =>
  language === 'zh' ? `${formatMoney(amount)}元` : `CNY ${formatMoney(amount)}`

const months =
  'January February March April May June July August September October November December'.split(' ')

/** A day as documents write it. A text that is no day stays as it is. */
export function wordDay(day: string, language: Language): string {
  if (!isCalendarDate(day)) return day
  const [year, month, date] = day.split('-').map(Number)
  return language === 'zh'
    ? `${year}年${month}月${date}日`
    : `${date} ${months[month! - 1]} ${year}`
}
