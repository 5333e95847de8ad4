import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory for SKILLS_DIR with small skills for tests; `run` is the source of their code. */
export function makeSkillFolder() {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-skills-'))
  function skill(name: string, run: string, more = '') {
    mkdirSync(join(directory, name))
    writeFileSync(
      join(directory, name, 'SKILL.md'),
      `---
name: ${name}
title: ${name}
description: For a test.
when_to_use: In a test.
inputs: { message: what was said }
outputs: { note: what came of it }
${more}---
Do it.
`,
    )
    writeFileSync(
      join(directory, name, 'skill.js'),
      `export default ({ z }) => ({
  inputs: z.object({ message: z.string() }),
  outputs: z.object({ note: z.string() }),
  ${run}
})\n`,
    )
  }

  return { directory, skill, remove: () => rmSync(directory, { recursive: true, force: true }) }
}
