import { repealedNames } from '../../_kit/repealed-names.ts'
import { lawKey } from './numerals.ts'

const maxNames = 200
const maxNameLength = 300

/** Returns the keys of the laws that the texts of a document repeal. */
export function repealedLaws(contents: readonly string[]): string[] {
  const keys = contents.flatMap(repealedNames).map(lawKey)
  return [...new Set(keys)]
    .filter((key) => key !== '' && key.length <= maxNameLength)
    .slice(0, maxNames)
}
