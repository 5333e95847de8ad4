import { ConfigError } from '../../_kit/config.ts'
import type { Skill } from '../skill.ts'
import { buildRegistry } from './load.ts'

/** Loads the bundled skills and those in `skillsDir`. An invalid skill stops the start. */
export async function loadSkills({
  runtime,
  skillsDir,
}: {
  runtime: string
  skillsDir?: string | undefined
}): Promise<Skill[]> {
  if (runtime === 'workerd') {
    if (skillsDir) {
      throw new ConfigError('SKILLS_DIR: there are no directories here; leave it unset')
    }
    const { bundled } = await import('./bundled.ts')
    return buildRegistry(bundled)
  }
  const { bundledDirectory, scanSkills: scan } = await import('./scan.node.ts')
  const own = await scan(bundledDirectory)
  return buildRegistry([...own, ...(skillsDir ? await scan(skillsDir) : [])])
}
