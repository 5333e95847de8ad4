import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Service } from '../services/_kit/service.ts'
import { migrate } from '../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../services/_kit/sql/postgres.ts'
import { suite } from '../services/_run/services.ts'
import { fuzz, installProblem } from './fuzz/schemathesis.ts'
import { startPostgres } from './support/postgres-server.ts'
import { type Runtime, startProcess } from './support/runtimes.ts'

/**
 * Fuzzes services with valid and invalid requests derived from their API descriptions:
 * `npm run fuzz -- memory platform --examples 60 --seed 1`. Default: all services and the
 * gateway.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    /** JavaScript runtime: node, deno or workerd. */
    runtime: { type: 'string', default: 'node' },
    /** Exit with 0 if schemathesis cannot be installed. */
    optional: { type: 'boolean', default: false },
  },
})

const key = 'a-key-for-fuzzing-only'

const notFuzzed = [
  'actuator, API descriptions and their pages: not in the descriptions',
  'event streams after their first event: some never end',
  'paths that the gateway forwards: fuzzed at their services',
  'the sign-in at a provider: none is configured, so it answers 404',
]

/** Bearer tokens of the gateway by the beginning of the path. Everything else is sent with a session. */
const bearers = {
  '/scim/': 'a-scim-token-for-fuzzing-only-0123456789',
  '/metrics': 'a-metrics-token-for-fuzzing-only',
}
const gatewayEnv = {
  SCIM_TOKEN: bearers['/scim/'],
  SCIM_ORGANIZATION: 'scim-firm',
  METRICS_TOKEN: bearers['/metrics'],
  GATEWAY_RATE_USER: '1000000000',
  GATEWAY_RATE_ADDRESS: '1000000000',
}

const problem = installProblem()
if (problem) {
  console.log(values.optional ? `skipped: ${problem}` : `Fuzzing is not possible: ${problem}.`)
  process.exit(values.optional ? 0 : 2)
}
const selected = positionals.length > 0 ? positionals.map(findService) : suite
const postgres = await startPostgres()
const directory = mkdtempSync(join(tmpdir(), 'legal-suite-fuzz-'))
let failed = false
try {
  for (const service of selected) if (!(await fuzzService(service))) failed = true
  console.log(`Not fuzzed:\n${notFuzzed.map((each) => `  ${each}`).join('\n')}`)
} finally {
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)

function findService(folder: string): Service {
  const service = suite.find((each) => each.folder === folder)
  if (service) return service
  console.error(
    `Unknown service ${folder}. Services: ${suite.map((each) => each.folder).join(', ')}.`,
  )
  process.exit(2)
}

async function fuzzService(service: Service): Promise<boolean> {
  const { examples, seed, runtime } = values
  const started = performance.now()
  const database = postgresDriver(postgres.url, 1)
  await migrate(database, service.folder, service.schema)
  await database.end()
  const env = {
    ENVIRONMENT: 'test',
    DATABASE_URL: postgres.url,
    INTERNAL_API_KEY: key,
    AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES: '',
    LOG_LEVEL: 'error',
    FILES_DIR: directory,
    ...(service.folder === 'gateway' && gatewayEnv),
  }
  const running = await startProcess(runtime as Runtime, service, env, {})
  try {
    const url = `http://${running.address}`
    const headers = { 'X-Internal-Api-Key': key, 'X-Is-Superuser': 'true' }
    const hookEnv = { FUZZ_GATEWAY: url, FUZZ_BEARERS: JSON.stringify(bearers) }
    const options =
      service.folder === 'gateway' ? { headers: {}, env: hookEnv } : { headers, env: {} }
    const result = await fuzz(service.name, { url, examples, seed, ...options })
    const { passed, operations, requests, failures, output } = result
    const seconds = Math.round((performance.now() - started) / 1000)
    if (!passed) console.log(`${output}\n${running.process.output()}`)
    console.log(
      `${passed ? 'ok    ' : 'FAILED'} ${service.name} on ${runtime}: ${operations} operations, ` +
        `${requests} requests, ${failures} failures (seed ${seed}, ${seconds} s)`,
    )
    return passed
  } finally {
    await running.close()
  }
}
