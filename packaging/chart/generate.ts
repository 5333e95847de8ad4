import { readFileSync } from 'node:fs'
import { definitions } from '../../operator/api/generate.ts'
import { baseYaml } from './base.ts'
import { dashboard } from './dashboard.ts'
import { operatorBaseYaml } from './operator-base.ts'
import { OperatorValues, Values, valuesSchema, valuesTable } from './values.ts'

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

/** Replaces the part of a README below its heading `## Values`. */
function withValuesTable(chart: string, table: string): string {
  const path = new URL(`../../charts/${chart}/README.md`, import.meta.url)
  const [text] = readFileSync(path, 'utf8').split('## Values')
  return `${text}## Values\n\n\`npm run generate\` writes this table.\n\n${table}`
}

/** Generated files of the charts. */
export const chartFiles: Record<string, () => string> = {
  'charts/legal-suite/files/base.yaml': baseYaml,
  'charts/legal-suite/files/dashboard.json': () => json(dashboard()),
  'charts/legal-suite/values.schema.json': () => json(valuesSchema(Values)),
  'charts/legal-suite/README.md': () => withValuesTable('legal-suite', valuesTable(Values)),
  'charts/legal-suite-operator/files/base.yaml': operatorBaseYaml,
  'charts/legal-suite-operator/values.schema.json': () => json(valuesSchema(OperatorValues)),
  'charts/legal-suite-operator/README.md': () =>
    withValuesTable('legal-suite-operator', valuesTable(OperatorValues)),
  ...Object.fromEntries(
    Object.entries(definitions).map(([file, make]) => [
      `charts/legal-suite-operator/files/${file}`,
      make,
    ]),
  ),
}
