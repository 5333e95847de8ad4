import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inForceOn, type Laws, newestEdition, titleKey } from './editions.ts'
import { citedInRecord } from './sources.ts'

const data = 'seed_packages/knowledge_structured_seeds/data'
const read = (path: string) => JSON.parse(readFileSync(join(data, path), 'utf8'))

export interface Profile {
  record: any
  elements: any[]
}

/** Every cause of action with its elements. */
export const loadProfiles = (): Profile[] =>
  readdirSync(join(data, 'profiles'))
    .sort()
    .map((file) => ({
      record: read(`profiles/${file}`)[0],
      elements: read(`litigation/${file}`),
    }))

const listEditions = ({ record }: Profile): { law: string; effective_from: string }[] => [
  ...record.laws,
  ...record.interpretations,
]

/** Laws that a profile lists as its basis. */
export const listTitles = (profile: Profile): string[] =>
  listEditions(profile).map(({ law }) => law)

/** Laws that a profile and its elements cite, in members or by name in their words. */
const citedLaws = ({ record, elements }: Profile): Set<string> =>
  new Set(
    [record, ...elements]
      .flatMap((each) => citedInRecord(each, ''))
      .filter(({ laws }) => laws.length === 1)
      .map(({ laws }) => titleKey(laws[0]!)),
  )

/** Differences between the editions that a profile states and the editions in force. */
export function editionFaults(profile: Profile, laws: Laws): string[] {
  const { code, as_of } = profile.record
  const stated = listEditions(profile)
  const names = new Set(stated.map(({ law }) => titleKey(law)))
  const unstated = [...citedLaws(profile)].filter((key) => laws.has(key) && !names.has(key))
  return [
    ...unstated.map((key) => `${code} cites ${key} and does not state its edition`),
    ...stated.flatMap(({ law, effective_from }) => {
      const current = inForceOn(laws, law, as_of)?.effective
      const newest = newestEdition(laws, law)?.effective
      if (current !== effective_from) {
        return [`${code}: ${law} of ${effective_from}, in force is that of ${current}`]
      }
      return newest === current ? [] : [`${code}: ${law} has a newer edition of ${newest}`]
    }),
  ]
}
