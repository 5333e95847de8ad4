import { parse } from 'yaml'
import type * as z from 'zod'
import { ConfigError } from '../../_kit/config.ts'
import { reserved } from '../graph/state.ts'
import { FrontMatter, type Skill, type SkillCode } from '../skill.ts'
import { tools } from '../tools.ts'
import { orderFaults } from './order.ts'

/** A folder as it was found. */
export interface Folder {
  folder: string
  /** Undefined where there is none. */
  skillMd?: string | undefined
  /** The default export of its code; undefined where there is none. */
  code?: unknown
  /** Why the code did not load. */
  broken?: string | undefined
}

/** A skill, or all that is wrong with its folder. */
export function readSkill(folder: string, skillMd: string, code: unknown): Skill | string[] {
  const split = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(skillMd.replace(/^\uFEFF/, ''))
  if (!split) return ['SKILL.md does not begin with front matter between two lines of ---']
  const front = frontMatter(split[1]!)
  const instructions = split[2]!.trim()
  const faults = [
    ...(Array.isArray(front) ? front : ownFaults(folder, front)),
    ...(instructions === '' ? ['SKILL.md has no instructions after its front matter'] : []),
    ...(isCode(code) ? [] : ['the default export of its code is no skill: inputs, outputs, run']),
    ...(isCode(code) && !Array.isArray(front) ? nameFaults(front, code) : []),
  ]
  if (Array.isArray(front) || !isCode(code) || faults.length > 0) return faults
  return { ...front, instructions, code }
}

/** All skills; one error lists every fault of every folder. */
export function registryOf(folders: Folder[]): Skill[] {
  const skills: Skill[] = []
  const faults: string[] = []
  for (const found of folders) {
    const skill = skillIn(found)
    if (!Array.isArray(skill)) skills.push(skill)
    else faults.push(...skill.map((fault) => `${found.folder}: ${fault}`))
  }
  // A folder that is broken is one that others may name all the same.
  faults.push(...orderFaults(skills, folders, reserved))
  if (faults.length === 0) return skills
  throw new ConfigError(
    `The skills are not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
  )
}

function skillIn({ folder, skillMd, code, broken }: Folder): Skill | string[] {
  const missing = [
    ...(skillMd === undefined ? ['it has no SKILL.md'] : []),
    ...(broken !== undefined ? [`its code does not load: ${broken}`] : []),
    ...(broken === undefined && code === undefined ? ['it has no code: skill.ts or skill.js'] : []),
  ]
  return missing.length > 0 ? missing : readSkill(folder, skillMd!, code)
}

function frontMatter(text: string): FrontMatter | string[] {
  let told: unknown
  try {
    told = parse(text)
  } catch {
    return ['the front matter of SKILL.md is no YAML']
  }
  const parsed = FrontMatter.safeParse(told)
  if (parsed.success) return parsed.data
  return parsed.error.issues.map(
    ({ path, message }) => `SKILL.md: ${path.join('.') || 'front matter'}: ${message}`,
  )
}

function ownFaults(folder: string, front: FrontMatter): string[] {
  const known = tools.map(({ name }) => name)
  return [
    ...(front.name === folder ? [] : [`its name is ${front.name}, not that of its folder`]),
    ...(reserved.includes(front.name) ? [`the name ${front.name} is reserved`] : []),
    ...front.tools
      .filter((name) => !known.includes(name))
      .map((name) => `there is no tool ${name}; there are ${known.join(', ')}`),
  ]
}

const isCode = (code: unknown): code is SkillCode => {
  const { inputs, outputs, run } = (code ?? {}) as Record<string, unknown>
  return isObject(inputs) && isObject(outputs) && typeof run === 'function'
}

/** Not by instanceof: a skill from elsewhere may bring a zod of its own. */
const isObject = (schema: unknown): schema is z.ZodObject =>
  (schema as z.ZodType | null | undefined)?._zod?.def?.type === 'object'

const nameFaults = (front: FrontMatter, code: SkillCode): string[] =>
  (['inputs', 'outputs'] as const).flatMap((kind) => {
    const told = Object.keys(front[kind])
    const taken = Object.keys(code[kind].shape)
    return [
      ...told
        .filter((name) => !taken.includes(name))
        .map((name) => `SKILL.md names ${name} in ${kind}, its code does not`),
      ...taken
        .filter((name) => !told.includes(name))
        .map((name) => `its code has ${name} in ${kind}, SKILL.md does not name it`),
    ]
  })
