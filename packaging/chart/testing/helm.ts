import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../../operator/runtime/objects.ts'

const repository = resolve(import.meta.dirname, '../../..')
export const chartFolder = (name: string) => join(repository, 'charts', name)

const built = join(
  process.env.LEGAL_SUITE_CLUSTER_CACHE ?? join(homedir(), '.cache/legal-suite-cluster'),
  'bin',
)

/** Finds a command on PATH or among the cluster binaries. */
export function findCommand(name: string): string | undefined {
  if (spawnSync(name, ['--help']).status === 0) return name
  const path = join(built, name)
  return existsSync(path) ? path : undefined
}

const helm = findCommand('helm')

/** The reason why tests with Helm are skipped. */
export const withoutHelm = helm ? undefined : 'helm is not installed'

/** Runs helm. Throws an error with the text that helm prints. */
export function runHelm(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(helm!, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  })
  if (status !== 0) throw new Error(stderr + stdout)
  return stdout
}

/**
 * Quotes digests such as 79252876e0119664. Helm leaves them unquoted: Go reads a number that overflows as a string,
 * other parsers as infinity.
 */
const quoteOverflows = (yaml: string) => yaml.replace(/: (\d+e\d{3,})$/gm, ': "$1"')

/** Renders a chart. */
export function renderChart(
  chart: string,
  values: unknown,
  { name = 'demo', args = [] as string[] } = {},
): KubeObject[] {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-values-'))
  try {
    const file = join(directory, 'values.json')
    writeFileSync(file, JSON.stringify(values))
    const apis = ['--api-versions', 'monitoring.coreos.com/v1']
    const output = runHelm(
      ...['template', name, chartFolder(chart), '--namespace', 'legal', '--values', file],
      ...apis,
      ...args,
    )
    return parseAllDocuments(quoteOverflows(output))
      .map((each) => each.toJS() as KubeObject)
      .filter(Boolean)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
