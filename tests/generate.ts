import { readFileSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import { definitions } from '../operator/api/generate.ts'
import { chartFiles } from '../packaging/chart/generate.ts'
import { KitConfig } from '../services/_kit/config.ts'
import { addressVariable } from '../services/_kit/peer.ts'
import { HostConfig } from '../services/_run/config.ts'
import { services, suite } from '../services/_run/services.ts'
import { generateBundled } from '../services/ai-engine/skills/generate.node.ts'
import { consoleTypes } from './support/console-types.ts'
import { lawDocument } from './support/law/document.ts'
import { elementMappings } from './support/law/mappings.ts'

/** Writes the generated files. With --check, reports stale files and exits with 1. */
const generated: Record<string, () => string> = {
  'docs/configuration.md': configuration,
  'docs/law.md': lawDocument,
  'seed_packages/knowledge_system_resources/data/mappings.json': elementMappings,
  'services/ai-engine/skills/bundled.ts': generateBundled,
  'services/gateway/console/api/types.ts': consoleTypes,
  ...definitions,
  ...chartFiles,
}

let stale = 0
for (const [file, make] of Object.entries(generated)) {
  const path = new URL(`../${file}`, import.meta.url)
  if (!process.argv.includes('--check')) writeFileSync(path, make())
  else if (readFileSync(path, 'utf8') !== make()) {
    stale++
    console.error(`${file} is stale. Run npm run generate.`)
  }
}
process.exit(stale === 0 ? 0 : 1)

function configuration(): string {
  const parts: [string, string, z.ZodObject][] = [
    ['Process', 'Read by the host of a service: `npm start` or a container.', HostConfig],
    ['All services', '', KitConfig],
    ...suite
      .filter(({ config }) => Object.keys(config.shape).length > 0)
      .map(({ name, config }): [string, string, z.ZodObject] => [name, '', config]),
  ]
  const addresses = services.map(({ name }) => `\`${addressVariable(name)}\``).join(', ')
  return `# Configuration

Services read their configuration from environment variables. Invalid values stop the start with one message that
lists all of them. An empty variable counts as unset.

\`npm run generate\` writes this file from the sources.
${parts.map(([title, note, schema]) => `\n## ${title}\n\n${note && `${note}\n\n`}${table(schema)}`).join('')}
## Addresses of other services

Default address of a service: \`http://<name>\`. These variables override it: ${addresses}.
With \`npm start\` the services run in one process and need no address.
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
  return `| Variable | Type | Default | Description |\n|---|---|---|---|\n${rows.join('\n')}\n`
}
