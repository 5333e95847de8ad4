import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import { ConfigError } from '../../_kit/config.ts'
import { generateBundled } from './generate.node.ts'
import { buildRegistry, type Folder, parseSkill } from './load.ts'
import { loadSkills } from './registry.ts'

const front = (name: string, more = '') => `---
name: ${name}
title: T
description: D
when_to_use: W
inputs: { message: m }
outputs: { text: t }
${more}
---
Do it.`

const code = {
  inputs: z.object({ message: z.string() }),
  outputs: z.object({ text: z.string() }),
  run: async () => ({ output: { text: '' } }),
}
const folder = (name: string, changes: Partial<Folder> = {}): Folder => ({
  folder: name,
  skillMd: front(name),
  code,
  ...changes,
})

const loadFaults = (folders: Folder[]) => {
  try {
    buildRegistry(folders)
    return []
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError)
    return (thrown as Error).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
}

test('a complete folder loads as a skill', () => {
  const skill = parseSkill('one', front('one', 'tools: [read_file]\nphase: intake'), code)
  expect(skill).toMatchObject({
    name: 'one',
    tools: ['read_file'],
    phase: 'intake',
    after: [],
    internal: false,
    instructions: 'Do it.',
  })
})

test.each<[string, Partial<Folder>, RegExp]>([
  ['no SKILL.md', { skillMd: undefined }, /no SKILL\.md/],
  ['no front matter', { skillMd: 'Do it.' }, /front matter/],
  ['front matter that is no YAML', { skillMd: '---\nname: [\n---\nDo.' }, /no YAML/],
  ['front matter that lacks a title', { skillMd: front('one').replace('title: T\n', '') }, /title/],
  ['no instructions', { skillMd: front('one').replace('Do it.', '') }, /no instructions/],
  ['another name', { skillMd: front('two') }, /not that of its folder/],
  ['an unknown tool', { skillMd: front('one', 'tools: [shell]') }, /no tool shell/],
  ['an unknown phase', { skillMd: front('one', 'phase: lunch') }, /phase/],
  ['an unknown predecessor', { skillMd: front('one', 'after: [none]') }, /none, which is no skill/],
  ['no code', { code: undefined }, /no code/],
  ['code that does not load', { code: undefined, broken: 'Boom' }, /does not load: Boom/],
  ['code that is no skill', { code: { run: 1 } }, /no skill/],
  ['code that is nothing', { code: null }, /no skill/],
  [
    'an input that its code has not',
    { code: { ...code, inputs: z.object({}) } },
    /names message in inputs/,
  ],
  [
    'an output that SKILL.md has not',
    { code: { ...code, outputs: code.outputs.extend({ more: z.string() }) } },
    /has more in outputs/,
  ],
  [
    'an input that nobody puts out',
    {
      skillMd: front('one').replace('message: m', 'weather: m'),
      code: { ...code, inputs: z.object({ weather: z.string() }) },
    },
    /weather is neither/,
  ],
])('a folder with %s is reported with its problem', (_, changes, fault) => {
  const faults = loadFaults([folder('one', changes)])
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(/^one: /)
  expect(faults[0]).toMatch(fault)
})

test.each(['messages', 'matter', 'memory', 'round', 'table', 'file_ids', 'message'])(
  'the skill name %s is reserved',
  (name) => {
    expect(loadFaults([folder(name)]).join()).toContain('reserved')
  },
)

test('circular dependencies and duplicate names are reported', () => {
  const after = (name: string, other: string) =>
    folder(name, { skillMd: front(name, `after: [${other}]`) })
  expect(
    loadFaults([after('aa', 'bb'), after('bb', 'cc'), after('cc', 'aa'), folder('dd')]),
  ).toEqual(['aa, bb, cc: they wait for each other (after)'])
  expect(loadFaults([after('aa', 'aa')])).toEqual(['aa: they wait for each other (after)'])
  expect(loadFaults([folder('aa'), folder('aa')])).toEqual([
    'aa: there is more than one folder of this name',
  ])
})

test('one error lists every problem of every folder', () => {
  const faults = loadFaults([
    folder('one', { skillMd: undefined, code: undefined }),
    folder('two', { skillMd: front('three', 'tools: [shell, fly]') }),
  ])
  expect(faults).toHaveLength(5)
})

const directories: string[] = []
afterEach(() => {
  for (const path of directories.splice(0)) rmSync(path, { recursive: true })
})
function writeDirectory(files: Record<string, string>): string {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-skills-'))
  directories.push(directory)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, path, '..'), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  return directory
}

const own = ['case_summary', 'chat', 'intake_collection']

test('the bundled skills are the same with and without file system access', async () => {
  const scanned = await loadSkills({ runtime: 'node' })
  expect(scanned.map(({ name }) => name)).toEqual(own)
  expect(await loadSkills({ runtime: 'workerd' })).toEqual(scanned)
  expect(generateBundled()).toContain("folder: 'chat'")
})

test('skills in SKILLS_DIR are loaded and receive zod as an argument', async () => {
  const skillsDir = writeDirectory({
    'greet/SKILL.md': front('greet'),
    'greet/skill.js':
      'export default ({ z }) => ({ inputs: z.object({ message: z.string() }), outputs: z.object({ text: z.string() }), run: async () => ({ output: { text: "hi" } }) })',
    '_notes/readme.txt': 'not a skill',
    'readme.md': 'not a folder',
  })
  const skills = await loadSkills({ runtime: 'node', skillsDir })
  expect(skills.map(({ name }) => name)).toEqual([...own, 'greet'])
})

test('an invalid, missing or unsupported SKILLS_DIR stops the start', async () => {
  const skillsDir = writeDirectory({
    'chat/SKILL.md': front('chat'),
    'bad/SKILL.md': front('bad'),
    'bad/skill.js': 'export default nothing.at.all',
  })
  const failed = loadSkills({ runtime: 'node', skillsDir })
  await expect(failed).rejects.toThrow(ConfigError)
  await expect(failed).rejects.toThrow(/bad: its code does not load/)
  await expect(failed).rejects.toThrow(/chat: it has no code/)
  await expect(failed).rejects.toThrow(/chat: there is more than one folder/)
  const missing = join(skillsDir, 'not-there')
  await expect(loadSkills({ runtime: 'deno', skillsDir: missing })).rejects.toThrow(/SKILLS_DIR/)
  await expect(loadSkills({ runtime: 'workerd', skillsDir })).rejects.toThrow(/SKILLS_DIR/)
})
