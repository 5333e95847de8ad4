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
  ['no SKILL.md', { skillMd: undefined }, /SKILL\.md is missing/],
  ['no front matter', { skillMd: 'Do it.' }, /front matter/],
  ['invalid YAML in the front matter', { skillMd: '---\nname: [\n---\nDo.' }, /not valid YAML/],
  ['front matter that lacks a title', { skillMd: front('one').replace('title: T\n', '') }, /title/],
  ['no instructions', { skillMd: front('one').replace('Do it.', '') }, /no instructions/],
  ['a name other than the folder name', { skillMd: front('two') }, /differs from the folder/],
  ['an unknown tool', { skillMd: front('one', 'tools: [shell]') }, /unknown tool shell/],
  ['an unknown phase', { skillMd: front('one', 'phase: lunch') }, /phase/],
  ['an unknown predecessor', { skillMd: front('one', 'after: [none]') }, /unknown skill none/],
  ['no code', { code: undefined }, /code is missing/],
  ['code that cannot be loaded', { code: undefined, broken: 'Boom' }, /cannot be loaded: Boom/],
  ['an invalid default export', { code: { run: 1 } }, /not a skill/],
  ['an empty default export', { code: null }, /not a skill/],
  [
    'an input missing in the code',
    { code: { ...code, inputs: z.object({}) } },
    /message is declared in inputs of SKILL\.md/,
  ],
  [
    'an output missing in SKILL.md',
    { code: { ...code, outputs: code.outputs.extend({ more: z.string() }) } },
    /more is declared in outputs of the code/,
  ],
  [
    'an input without a source',
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
  ).toEqual(['aa, bb, cc: dependency cycle in after'])
  expect(loadFaults([after('aa', 'aa')])).toEqual(['aa: dependency cycle in after'])
  expect(loadFaults([folder('aa'), folder('aa')])).toEqual(['aa: several folders have this name'])
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

const own = [
  'calculation',
  'case_summary',
  'cause_of_action',
  'chat',
  'contract_review',
  'document_drafting',
  'evidence_analysis',
  'intake_collection',
  'issue_spotting',
  'legal_research',
  'risk_assessment',
  'strategy',
  'sufficiency',
]

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
  await expect(failed).rejects.toThrow(/bad: the code cannot be loaded/)
  await expect(failed).rejects.toThrow(/chat: the code is missing/)
  await expect(failed).rejects.toThrow(/chat: several folders have this name/)
  const missing = join(skillsDir, 'not-there')
  await expect(loadSkills({ runtime: 'deno', skillsDir: missing })).rejects.toThrow(/SKILLS_DIR/)
  await expect(loadSkills({ runtime: 'workerd', skillsDir })).rejects.toThrow(/SKILLS_DIR/)
})
