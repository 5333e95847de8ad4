import type { Skill } from '../skill.ts'

/** What is wrong between skills: names used twice, names of nothing, and skills that wait for each other. */
export function orderFaults(
  skills: Skill[],
  folders: { folder: string }[],
  stateMembers: string[],
): string[] {
  const known = folders.map(({ folder }) => folder)
  const twice = known.filter((name, at) => known.indexOf(name) < at)
  return [
    ...[...new Set(twice)].map((name) => `${name}: there is more than one folder of this name`),
    ...skills.flatMap(({ name, after, inputs }) => [
      ...after
        .filter((other) => !known.includes(other))
        .map((other) => `${name}: it comes after ${other}, which is no skill`),
      ...Object.keys(inputs)
        .filter((input) => ![...known, ...stateMembers].includes(input))
        .map((input) => `${name}: its input ${input} is neither of the state nor a skill`),
    ]),
    ...cycles(skills),
  ]
}

/** Those that can never begin, since each waits for another of them. */
function cycles(skills: Skill[]): string[] {
  let waiting = skills
  for (;;) {
    const names = new Set(waiting.map(({ name }) => name))
    const still = waiting.filter(({ after }) => after.some((other) => names.has(other)))
    if (still.length === waiting.length) break
    waiting = still
  }
  if (waiting.length === 0) return []
  const names = waiting.map(({ name }) => name).sort()
  return [`${names.join(', ')}: they wait for each other (after)`]
}
