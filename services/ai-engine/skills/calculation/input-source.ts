import * as z from 'zod'
import type { CaseFact, CaseFile } from '../_shared/case-file.ts'
import type { InputSource } from './plan.ts'

/** Start of the keys of answers to the cards of the skill. */
export const answersPrefix = 'calculation.answers.'

/** Member of the skill's state that holds an answer: a name without dots. */
export const answerKey = (name: string) => name.replaceAll('.', '__')

/** Facts of a case as inputs of calculators. */
interface SourceFacts {
  /** Facts of the case. */
  caseFile: CaseFile
  /** Answers to the cards of the skill, by name, also those that no question of the cause asks for. */
  answers: Record<string, unknown>
  /** Inputs that the skill asked for. They are named by their question. */
  asked: string[]
  today: string
  /** Whether facts that the person has not confirmed are read too. */
  unconfirmed: boolean
}

/** Texts select claims; no input is taken from them, and later messages add to them. */
const isProse = (name: string) => name === 'aim' || name === 'what_happened'

export function makeSource(from: SourceFacts): InputSource {
  const { caseFile, answers, asked, today, unconfirmed } = from
  const findFact = (name: string) => caseFile.facts.find(({ key }) => key === `intake.${name}`)
  let read: Record<string, unknown> = {}
  const readBefore: Record<string, unknown> = {}
  const open = new Set<CaseFact>()
  let claimed = 0
  const get = (name: string) => {
    const fact = findFact(name)
    const value = fact ? (fact.confirmed || unconfirmed ? fact.value : undefined) : answers[name]
    if (fact && !fact.confirmed) open.add(fact)
    if (value !== undefined && !isProse(name)) read[name] = value
    return value
  }
  return {
    get,
    isUnconfirmed: (name) => findFact(name)?.confirmed === false,
    startReading() {
      Object.assign(readBefore, read)
      read = {}
    },
    listRead: () => ({ ...read }),
    listUnconfirmed: () => [...open],
    keyOf(name) {
      const fact = asked.includes(name) ? undefined : findFact(name)
      return fact?.key ?? `${answersPrefix}${answerKey(name)}`
    },
    money: (name) => z.number().min(0).safeParse(get(name)).data,
    day: (name) => z.iso.date().safeParse(get(name)).data,
    today,
    texts: caseFile.texts,
    sides: [...new Set(caseFile.elements.flatMap(({ side }) => side ?? []))],
    limitationYears: caseFile.cause?.limitation?.years ?? undefined,
    results: {},
    sumClaims() {
      Object.assign(read, readBefore)
      return claimed
    },
    addClaim(amount) {
      claimed += amount
    },
  }
}
