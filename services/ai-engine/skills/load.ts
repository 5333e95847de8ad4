import { parse } from 'yaml'
import type * as z from 'zod'
import { ConfigError } from '../../_kit/config.ts'
import { reservedNames } from '../graph/state.ts'
import { FrontMatter, type Skill, type SkillCode } from '../skill.ts'
import { tools } from '../tools.ts'
import { dependencyProblems } from './dependencies.ts'

/** Contents of a skill folder. */
export interface Folder {
  folder: string
  /** Undefined if the file is missing. */
  skillMd?: string | undefined
  /** Default export of the code; undefined if the file is missing. */
  code?: unknown
  /** Error of the import. */
  broken?: string | undefined
}

/** Parses a skill, or returns all problems of its folder. */
export function parseSkill(folder: string, skillMd: string, code: unknown): Skill | string[] {
  const split = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(skillMd.replace(/^\uFEFF/, ''))
  if (!split) return ['SKILL.md must start with front matter between two --- lines']
  const front = parseFrontMatter(split[1]!)
  const instructions = split[2]!.trim()
  const problems = [
    ...(Array.isArray(front) ? front : folderProblems(folder, front)),
    ...(instructions === '' ? ['SKILL.md has no instructions after the front matter'] : []),
    ...(isCode(code)
      ? []
      : ['the default export is not a skill: inputs, outputs and run are required']),
    ...(isCode(code) && !Array.isArray(front) ? schemaProblems(front, code) : []),
  ]
  if (Array.isArray(front) || !isCode(code) || problems.length > 0) return problems
  return { ...front, instructions, code }
}

/** Builds the registry. One error lists all problems of all folders. */
export function buildRegistry(folders: Folder[]): Skill[] {
  const skills: Skill[] = []
  const problems: string[] = []
  for (const found of folders) {
    const skill = loadFolder(found)
    if (!Array.isArray(skill)) skills.push(skill)
    else problems.push(...skill.map((problem) => `${found.folder}: ${problem}`))
  }
  // Other skills may refer to a folder with problems.
  problems.push(...dependencyProblems(skills, folders, reservedNames))
  if (problems.length === 0) return skills
  throw new ConfigError(`Invalid skills:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
}

function loadFolder({ folder, skillMd, code, broken }: Folder): Skill | string[] {
  const missing = [
    ...(skillMd === undefined ? ['SKILL.md is missing'] : []),
    ...(broken !== undefined ? [`the code cannot be loaded: ${broken}`] : []),
    ...(broken === undefined && code === undefined
      ? ['the code is missing: skill.ts or skill.js is required']
      : []),
  ]
  return missing.length > 0 ? missing : parseSkill(folder, skillMd!, code)
}

function parseFrontMatter(text: string): FrontMatter | string[] {
  let declared: unknown
  try {
    declared = parse(text)
  } catch {
    return ['the front matter of SKILL.md is not valid YAML']
  }
  const parsed = FrontMatter.safeParse(declared)
  if (parsed.success) return parsed.data
  return parsed.error.issues.map(
    ({ path, message }) => `SKILL.md: ${path.join('.') || 'front matter'}: ${message}`,
  )
}

function folderProblems(folder: string, front: FrontMatter): string[] {
  const toolNames = tools.map(({ name }) => name)
  return [
    ...(front.name === folder ? [] : [`the name ${front.name} differs from the folder name`]),
    ...(reservedNames.includes(front.name) ? [`the name ${front.name} is reserved`] : []),
    ...front.tools
      .filter((name) => !toolNames.includes(name))
      .map((name) => `unknown tool ${name}; available tools: ${toolNames.join(', ')}`),
  ]
}

const isCode = (code: unknown): code is SkillCode => {
  const { inputs, outputs, run } = (code ?? {}) as Record<string, unknown>
  return isZodObject(inputs) && isZodObject(outputs) && typeof run === 'function'
}

/** Does not use instanceof: an external skill may use another copy of zod. */
const isZodObject = (schema: unknown): schema is z.ZodObject =>
  (schema as z.ZodType | null | undefined)?._zod?.def?.type === 'object'

const schemaProblems = (front: FrontMatter, code: SkillCode): string[] =>
  (['inputs', 'outputs'] as const).flatMap((kind) => {
    const declared = Object.keys(front[kind])
    const implemented = Object.keys(code[kind].shape)
    return [
      ...declared
        .filter((name) => !implemented.includes(name))
        .map((name) => `${name} is declared in ${kind} of SKILL.md but not in the code`),
      ...implemented
        .filter((name) => !declared.includes(name))
        .map((name) => `${name} is declared in ${kind} of the code but not in SKILL.md`),
    ]
  })
