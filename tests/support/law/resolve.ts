import type { Cited } from './cited.ts'
import { editionFor, type Laws, titleKey } from './editions.ts'
import { outsideDatabase } from './names.ts'

export interface Fault extends Cited {
  fault: 'no such law' | 'not in force' | 'no such article' | 'not what it says'
}

const withoutSpace = (text: string) => text.replace(/\s+/g, '')

/** Citations that do not stand in the edition in force on a day. */
export const findFaults = (cited: Cited[], laws: Laws, day: string): Fault[] =>
  cited.flatMap((each) => {
    const fault = findFault(each, laws, day)
    return fault ? [{ ...each, fault }] : []
  })

function findFault(cited: Cited, laws: Laws, day: string): Fault['fault'] | undefined {
  if (cited.article === null && cited.laws[0]! in outsideDatabase) return
  const existing = cited.laws.filter((law) => laws.has(titleKey(law)))
  if (existing.length === 0) return 'no such law'
  const editions = existing.flatMap((law) => editionFor(laws, law, cited.former, day) ?? [])
  if (editions.length === 0) return 'not in force'
  if (cited.article === null) return
  const texts = editions.flatMap(({ articles }) => articles.get(cited.article!) ?? [])
  if (editions.every(({ articles }) => !articles.has(cited.article!))) return 'no such article'
  const { quote } = cited
  if (quote === undefined) return
  if (!texts.some((text) => withoutSpace(text).includes(withoutSpace(quote)))) {
    return 'not what it says'
  }
}
