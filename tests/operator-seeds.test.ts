import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { condition, type Harness, makeHarness } from '../operator/testing/harness.ts'
import { configsPackage, newLibrary } from './support/collector.ts'
import { newDatabase } from './support/databases.ts'
import { freePort } from './support/free-port.ts'
import { type Running, run } from './support/process.ts'
import { waitUntilReady } from './support/runtimes.ts'

const library = newLibrary()
library.put('at_start', configsPackage('at_start', { one: { 'start.a': 1, 'start.b': 2 } }))
library.put('on_request', configsPackage('on_request', { two: { 'request.a': 1 } }))

const resources = new AsyncDisposableStack()
let operator: Harness
let platformUrl = ''
let collectorPort = 0
let databaseUrl = ''
let internalKey = ''
let collector: Running

/** The operator on an in-memory API server; platform-service and collector-service are real processes. */
beforeAll(async () => {
  resources.defer(library.drop)
  const database = resources.adopt(await newDatabase('postgres'), (each) => each.drop())
  databaseUrl = database.url
  const [platformPort, port] = await Promise.all([freePort(), freePort()])
  platformUrl = `http://127.0.0.1:${platformPort}`
  collectorPort = port
  const collectorAddress = `http://127.0.0.1:${collectorPort}`
  operator = resources.adopt(makeHarness({ collectorAddress }), (each) => each.stop())
  await operator.secret('db', { url: databaseUrl })
  await operator.suite({ seeds: { packageIds: ['at_start'] } })
  await vi.waitFor(() => expect(operator.get('Secret', 'demo-internal-key')).toBeDefined(), patient)
  internalKey = atob(operator.get('Secret', 'demo-internal-key').data.current)

  const platform = startService('platform', platformPort)
  resources.defer(() => platform.stop())
  await waitUntilReady(platform, `127.0.0.1:${platformPort}`)
})
afterAll(async () => {
  await collector?.stop()
  await resources.disposeAsync()
})

const patient = { timeout: 60_000, interval: 50 }
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

function startService(folder: string, port: number, env: Record<string, string> = {}): Running {
  return run(process.execPath, ['services/_run/node.ts', folder], {
    ENVIRONMENT: 'test',
    INTERNAL_API_KEY: internalKey,
    DATABASE_URL: databaseUrl,
    MIGRATE: 'false',
    LOG_LEVEL: 'warn',
    PORT: String(port),
    PLATFORM_SERVICE_URL: platformUrl,
    SEED_PACKAGES_DIR: library.directory,
    ...env,
  })
}

/** Variables that the operator sets for startup seeds. */
function startupVariables(): Record<string, string> {
  const deployment = operator.get('Deployment', 'demo-collector')
  const { env } = deployment.spec.template.spec.containers[0]
  const seeds = env.filter(({ name }: { name: string }) => name.startsWith('SEED_'))
  return Object.fromEntries(
    seeds.map(({ name, value }: { name: string; value: string }) => [name, value]),
  )
}

const isCollectorReady = () =>
  fetch(`http://127.0.0.1:${collectorPort}/api/v1/internal/actuator/health/readiness`).then(
    async (response) => (await response.text()) !== '' && response.status === 200,
    () => false,
  )

async function readConfig(key: string): Promise<unknown> {
  const headers = { 'x-internal-api-key': internalKey }
  const response = await fetch(`${platformUrl}/api/v1/internal/platform/configs/${key}`, {
    headers,
  })
  const { data } = (await response.json()) as { data: { value?: unknown } | null }
  return data?.value
}

/** Applies packages and waits for the result. */
async function apply(name: string, spec: object) {
  await operator.seed(spec, name)
  const read = () => operator.get('SeedPackageApply', name)
  await vi.waitFor(() => expect(read().status?.finishedAt).toBeDefined(), patient)
  return read()
}

test('a suite becomes ready after collector-service has applied the startup seeds', async () => {
  await vi.waitFor(async () => {
    await operator.settle(/^(?!demo-collector)/)
    expect(operator.get('Deployment', 'demo-collector')).toBeDefined()
  }, patient)
  expect(startupVariables()).toMatchObject({ SEED_PACKAGE_IDS_ON_STARTUP: 'at_start' })
  expect(operator.ready()?.status).not.toBe('True')

  collector = startService('collector', collectorPort, startupVariables())
  // The kubelet reports the Deployment as available when the readiness probe succeeds.
  await vi.waitFor(async () => expect(await isCollectorReady()).toBe(true), patient)
  expect(await readConfig('start.a')).toBe(1)
  expect(await readConfig('start.b')).toBe(2)
  await vi.waitFor(async () => {
    await operator.settle()
    expect(operator.ready()?.status).toBe('True')
  }, patient)
})

test('a startup package that does not exist never becomes ready in production', async () => {
  const port = await freePort()
  const failing = startService('collector', port, {
    ENVIRONMENT: 'production',
    SEED_PACKAGE_IDS_ON_STARTUP: 'absent',
  })
  expect(await failing.exit).not.toBe(0)
  expect(failing.output()).toContain('absent')
})

test('a dry run changes nothing, and its plan hash admits exactly one apply', async () => {
  const dry = await apply('dry', { packageIds: ['on_request'], dryRun: true })
  expect(dry.status).toMatchObject({ phase: 'Succeeded', changes: '+1 ~0 -0' })
  expect(await readConfig('request.a')).toBeUndefined()

  const expectPlanHash = dry.status.planHash
  const applied = await apply('applied', { packageIds: ['on_request'], expectPlanHash })
  expect(applied.status).toMatchObject({
    phase: 'Succeeded',
    changes: '+1 ~0 -0',
    packages: [{ id: 'on_request', status: 'applied' }],
  })
  expect(await readConfig('request.a')).toBe(1)

  const repeated = await apply('repeated', { packageIds: ['on_request'], expectPlanHash })
  expect(repeated.status.phase).toBe('Failed')
  expect(condition(repeated, 'Ready')).toMatchObject({ status: 'False', reason: 'PlanMoved' })
})

test('an unknown package fails with its name', async () => {
  const failed = await apply('unknown', { packageIds: ['absent'] })
  expect(failed.status.phase).toBe('Failed')
  expect(condition(failed, 'Ready')).toMatchObject({ reason: 'PackageNotFound' })
  expect(condition(failed, 'Ready')?.message).toContain('absent')
})

test('an apply survives a killed collector-service and is applied once', async () => {
  const values = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`killed.k${n}`, n]))
  library.put('killed', configsPackage('killed', { many: values }))
  await operator.seed({ packageIds: ['killed'] }, 'killed')
  await vi.waitFor(
    () => expect(operator.get('SeedPackageApply', 'killed').status?.runId).toBeDefined(),
    patient,
  )
  const { runId } = operator.get('SeedPackageApply', 'killed').status
  collector.signal('SIGKILL')
  await collector.exit
  collector = startService('collector', collectorPort)
  const read = () => operator.get('SeedPackageApply', 'killed').status
  await vi.waitFor(() => expect(read().finishedAt).toBeDefined(), { ...patient, timeout: 150_000 })
  expect(read()).toMatchObject({ phase: 'Succeeded', runId })
  expect(await readConfig('killed.k199')).toBe(199)
  const again = await apply('again', { packageIds: ['killed'], dryRun: true })
  expect(again.status.changes).toBe('+0 ~0 -0')
})
