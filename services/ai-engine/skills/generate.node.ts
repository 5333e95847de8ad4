import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledDirectory, listSkillFolders } from './scan.node.ts'

/** Returns the text of bundled.ts: all bundled skills, for runtimes without a file system. */
export function generateBundled(): string {
  const names = listSkillFolders(bundledDirectory)
  const identifier = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
  const literal = (text: string) => `\`${text.replace(/[\\`]|\$\{/g, '\\$&')}\``
  const skillMd = (name: string) => readFileSync(join(bundledDirectory, name, 'SKILL.md'), 'utf8')
  return `// Made from the folders beside it by \`npm run generate\`.
${names.map((name) => `import ${identifier(name)} from './${name}/skill.ts'\n`).join('')}import type { Folder } from './load.ts'

export const bundled: Folder[] = [
${names
  .map(
    (name) => `  {
    folder: '${name}',
    code: ${identifier(name)},
    skillMd: ${literal(skillMd(name))},
  },
`,
  )
  .join('')}]
`
}
