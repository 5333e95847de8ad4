import type { ServiceName } from '../api/service-table.ts'
import type { SuiteInput } from './common.ts'

export const port = 8080

const denoPermissions = ['--allow-env', '--allow-net', '--allow-read', '--allow-sys']

/** The start command of a service. The working directory of the image contains `services`. */
export function serviceCommand({ spec }: SuiteInput, name: ServiceName): string[] {
  if (spec.runtime !== 'Deno') return ['node', 'services/_run/node.ts', name]
  // files-service writes uploads and starts parser processes.
  const filesPermissions = name === 'files' ? ['--allow-write=/data,/tmp', '--allow-run'] : []
  return [
    ...[
      'deno',
      'serve',
      ...denoPermissions,
      ...filesPermissions,
      '--host',
      '0.0.0.0',
      '--port',
      String(port),
    ],
    ...['services/_run/deno.ts', name],
  ]
}

/** A chart starts the database at the same time, so the migration waits for it instead of failing. */
export const migrateCommand = ({ spec }: SuiteInput): string[] => [
  ...(spec.runtime === 'Deno' ? ['deno', 'run', ...denoPermissions] : ['node']),
  ...['services/_run/migrate.ts', '--wait', '120'],
]
