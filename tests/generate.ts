import { readFileSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import { definitions } from '../operator/api/generate.ts'
import { KitConfig } from '../services/_kit/config.ts'
import { addressVariable } from '../services/_kit/peer.ts'
import { HostConfig } from '../services/_run/config.ts'
import { services } from '../services/_run/services.ts'
import { generateBundled } from '../services/ai-engine/skills/generate.node.ts'

/** Writes what is made from the sources; with --check, says what differs instead. */
const generated: Record<string, () => string> = {
  'docs/configuration.md': configuration,
  'services/ai-engine/skills/bundled.ts': generateBundled,
  ...definitions,
}

let stale = 0
for (const [file, make] of Object.entries(generated)) {
  const path = new URL(`../${file}`, import.meta.url)
  if (!process.argv.includes('--check')) writeFileSync(path, make())
  else if (readFileSync(path, 'utf8') !== make()) {
    stale++
    console.error(`${file} is not what the sources say; run npm run generate.`)
  }
}
process.exit(stale === 0 ? 0 : 1)

function configuration(): string {
  const parts: [string, string, z.ZodObject][] = [
    ['The process', 'Read by whatever hosts a service: `npm start`, a container.', HostConfig],
    ['Every service', '', KitConfig],
    ...services
      .filter(({ config }) => Object.keys(config.shape).length > 0)
      .map(({ name, config }): [string, string, z.ZodObject] => [name, '', config]),
  ]
  const addresses = services.map(({ name }) => `\`${addressVariable(name)}\``).join(', ')
  return `# Configuration

Everything is told through the environment. A value that can't be used stops the start with one message
that lists all of them. An empty variable is an unset one.

Made from the sources by \`npm run generate\`.
${parts.map(([title, note, schema]) => `\n## ${title}\n\n${note && `${note}\n\n`}${table(schema)}`).join('')}
## Where the other services are

A service finds another at \`http://<its name>\`, or where \`<NAME>_URL\` says: ${addresses}, and so on for
every name. With \`npm start\` they are in one process and need no address.
`
}

function table(schema: z.ZodObject): string {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const rows = Object.entries(properties).map(([name, property]) => {
    const {
      description = '',
      default: standard,
      enum: choices,
      type,
    } = property as z.core.JSONSchema.JSONSchema
    const kind = choices
      ? choices.map((choice) => `\`${String(choice)}\``).join(', ')
      : String(type ?? 'string')
    return `| \`${name}\` | ${kind} | ${standard === undefined || standard === '' ? '' : `\`${String(standard)}\``} | ${description} |`
  })
  return `| Variable | Kind | Default | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`
}
