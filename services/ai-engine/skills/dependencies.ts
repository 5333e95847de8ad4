import type { Skill } from '../skill.ts'

/** Checks dependencies between skills: duplicate names, unknown names, cycles. */
export function dependencyProblems(
  skills: Skill[],
  folders: { folder: string }[],
  stateMembers: string[],
): string[] {
  const names = folders.map(({ folder }) => folder)
  const duplicates = names.filter((name, at) => names.indexOf(name) < at)
  return [
    ...[...new Set(duplicates)].map((name) => `${name}: several folders have this name`),
    ...skills.flatMap(({ name, after, inputs }) => [
      ...after
        .filter((other) => !names.includes(other))
        .map((other) => `${name}: unknown skill ${other} in after`),
      ...Object.keys(inputs)
        .filter((input) => ![...names, ...stateMembers].includes(input))
        .map((input) => `${name}: input ${input} is neither a state field nor a skill`),
    ]),
    ...findCycles(skills),
  ]
}

/** Finds skills that can never start because they wait for each other. */
function findCycles(skills: Skill[]): string[] {
  let waiting = skills
  for (;;) {
    const names = new Set(waiting.map(({ name }) => name))
    const remaining = waiting.filter(({ after }) => after.some((other) => names.has(other)))
    if (remaining.length === waiting.length) break
    waiting = remaining
  }
  if (waiting.length === 0) return []
  const names = waiting.map(({ name }) => name).sort()
  return [`${names.join(', ')}: dependency cycle in after`]
}
