import * as z from 'zod'

/** Status of an edition, in the words of the national database and of its mirrors. */
const statuses: Record<string, EditionStatus> = {
  有效: 'in_force',
  已修改: 'amended',
  已修订: 'amended',
  已废止: 'repealed',
  失效: 'repealed',
  尚未生效: 'not_yet_in_force',
}

type EditionStatus = 'in_force' | 'amended' | 'repealed' | 'not_yet_in_force'

const statusNames = ['in_force', 'amended', 'repealed', 'not_yet_in_force'] as const

export const Status = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? (statuses[value.trim()] ?? value.trim().replaceAll(' ', '_'))
      : value,
  z.enum(statusNames, `Must be one of ${[...Object.keys(statuses), ...statusNames].join(', ')}.`),
)

/** An edition of a law before its text is read. */
export interface Edition {
  title: string
  effective_from: string | undefined
  /** Last day in force. */
  effective_to: string | undefined
  status: EditionStatus | undefined
  /** Names of the laws that the text repeals. */
  repeals: string[]
}

/** Name under which the editions of a law are the same law. */
export const lawName = (title: string) =>
  title
    .normalize('NFKC')
    .replace(/[《》〈〉<>"“”\s]/g, '')
    .replaceAll('中华人民共和国', '')
    .replace(/(?<!修正案)\(\d{4}年?(?:修正|修订|修改)?本?\)/g, '')

const dayBefore = (day: string) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)

const isOut = ({ status }: Edition) => status === 'amended' || status === 'repealed'

/**
 * Links the editions of each law: an edition without a last day ends before the next one. One that is
 * amended or repealed and has no next edition ends before the law that repeals it, and an
 * interpretation at the latest with its law. Returns the last day of each edition, undefined while open
 * or unknown.
 */
export function linkEditions(editions: readonly Edition[]): (string | undefined)[] {
  const byName = new Map<string, Edition[]>()
  const repealedOn = new Map<string, string[]>()
  for (const edition of editions) {
    const name = lawName(edition.title)
    byName.set(name, [...(byName.get(name) ?? []), edition])
    for (const repealed of edition.repeals.map(lawName)) {
      const days = repealedOn.get(repealed) ?? []
      if (edition.effective_from) repealedOn.set(repealed, [...days, edition.effective_from])
    }
  }
  const firstAfter = (days: readonly (string | undefined)[], from: string) =>
    days
      .flatMap((day) => (day !== undefined && day > from ? [day] : []))
      .sort()
      .at(0)

  function endOf(edition: Edition): string | undefined {
    const { effective_from: from = '', effective_to, title } = edition
    if (effective_to !== undefined) return effective_to
    const name = lawName(title)
    const next = firstAfter(
      byName.get(name)!.map((each) => each.effective_from),
      from,
    )
    const repealed = isOut(edition) ? firstAfter(repealedOn.get(name) ?? [], from) : undefined
    const first = [next, repealed].flatMap((day) => day ?? []).sort()[0]
    return first === undefined ? undefined : dayBefore(first)
  }

  /** Last day of the law that an interpretation is of, if the law is repealed. */
  function endOfLaw(edition: Edition): string | undefined {
    const [, law] = /《([^《》]+)》/.exec(edition.title) ?? []
    const laws = law ? (byName.get(lawName(law)) ?? []) : []
    if (laws.length === 0 || !laws.every(isOut)) return undefined
    const ends = laws.map(endOf)
    return ends.includes(undefined) ? undefined : ends.sort().at(-1)
  }

  return editions.map((edition) => {
    const end = endOf(edition)
    return end === undefined && isOut(edition) ? endOfLaw(edition) : end
  })
}
