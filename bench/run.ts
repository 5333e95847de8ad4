import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Family, formatSection, writeSection } from './support/results.ts'

/** `npm run bench -- kit` measures, prints the results and writes them to RESULTS.md. */
const families = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -'.ts'.length))

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    idle: { type: 'string' },
    chunks: { type: 'string' },
  },
  allowPositionals: true,
})
if (positionals.length === 0 || positionals.some((name) => !families.includes(name))) {
  console.error(`usage: npm run bench -- [--quick] [--idle S] [--chunks N] <family…>
  families: ${families.join(', ')}
  --quick   short run; does not write RESULTS.md
  --idle S  operator: duration of the idle measurement in seconds
  --chunks N  search: measures only the speed, at N chunks; does not write RESULTS.md`)
  process.exit(2)
}

for (const name of positionals) {
  const family: Family = await import(`./${name}.ts`)
  const options = {
    quick: values.quick,
    ...(values.idle && { idle: Number(values.idle) }),
    ...(values.chunks && { chunks: Number(values.chunks) }),
  }
  const text = formatSection(name, await family.run(options), new Date())
  console.log(text)
  if (!values.quick && !values.chunks) writeSection(name, text)
}
