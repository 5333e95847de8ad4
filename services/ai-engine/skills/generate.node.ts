import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledDirectory, listSkillFolders } from './scan.node.ts'

/** Returns the text of bundled.ts: all bundled skills, for runtimes without a file system. */
export function generateBundled(): string {
  const names = listSkillFolders(bundledDirectory)
  const identifier = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
  const literal = (text: string) => `\`${text.replace(/[\\`]|\$\{/g, '\\$&')}\``
  const skillMd = (name: string) => readFileSync(join(bundledDirectory, name, 'SKILL.md'), 'utf8')
  const imports = [
    ...names.map((name) => ({ path: `./${name}/skill.ts`, what: identifier(name) })),
    { path: './load.ts', what: 'type { Folder }' },
  ].sort((a, b) => (a.path < b.path ? -1 : 1))
  return `// Made from the folders beside it by \`npm run generate\`.
${imports.map(({ path, what }) => `import ${what} from '${path}'`).join('\n')}

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
