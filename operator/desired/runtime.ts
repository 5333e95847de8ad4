import type { ServiceName } from '../api/service-spec.ts'
import type { Wanted } from './common.ts'

export const port = 8080

const denoAllows = ['--allow-env', '--allow-net', '--allow-read', '--allow-sys']

/** How the image starts a service; it stands in the directory that has `services`. */
export function commandOf({ spec }: Wanted, name: ServiceName): string[] {
  if (spec.runtime !== 'Deno') return ['node', 'services/_run/node.ts', name]
  // files-service writes what it is sent, and parses it in processes of their own.
  const files = name === 'files' ? ['--allow-write=/data,/tmp', '--allow-run'] : []
  return [
    ...['deno', 'serve', ...denoAllows, ...files, '--host', '0.0.0.0', '--port', String(port)],
    ...['services/_run/deno.ts', name],
  ]
}

export const migrateCommandOf = ({ spec }: Wanted): string[] =>
  spec.runtime === 'Deno'
    ? ['deno', 'run', ...denoAllows, 'services/_run/migrate.ts']
    : ['node', 'services/_run/migrate.ts']
