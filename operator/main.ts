import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import * as z from 'zod'
import { ConfigError, parseConfig } from '../services/_kit/config.ts'
import { makeMetrics } from '../services/_kit/metrics.ts'
import { makeOperator } from './operator.ts'
import { loadAccess } from './runtime/access.ts'
import { makeClient } from './runtime/client.ts'
import { makeLog } from './runtime/log.ts'
import { requireServerVersion, UnsupportedVersionError } from './runtime/server-version.ts'
import { httpTransport } from './runtime/transport.ts'
import { defaultAddress } from './seed-package-apply/collector.ts'

const Config = z.object({
  /** Comma-separated namespaces. Default: the namespace of the operator. `*` means all. */
  WATCH_NAMESPACE: z.string().optional(),
  /** Context of the kubeconfig. Default: its current context. */
  KUBE_CONTEXT: z.string().optional(),
  LEASE_NAME: z.string().default('legal-suite-operator'),
  PORT: z.coerce.number().int().min(1).max(65_535).default(8080),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  RESYNC_SECONDS: z.coerce.number().min(1).max(3600).default(60),
  COLLECTOR_ADDRESS: z.string().default(defaultAddress),
})

/** The oldest Kubernetes version that serves all features of the CRDs. */
const minimumVersion = { major: 1, minor: 30 }

async function main() {
  const config = parseConfig(Config, process.env)
  const access = await loadAccess(process.env, config.KUBE_CONTEXT)
  const transport = httpTransport(access)
  const log = makeLog(config.LOG_LEVEL)
  await requireServerVersion(transport, minimumVersion, log)
  const metrics = makeMetrics()
  const operator = makeOperator({
    client: makeClient({ transport, metrics }),
    log,
    metrics,
    namespaces: parseNamespaces(config.WATCH_NAMESPACE, access.namespace),
    operatorNamespace: access.namespace,
    collectorAddress: config.COLLECTOR_ADDRESS,
    lease: {
      namespace: access.namespace,
      name: config.LEASE_NAME,
      identity: `${hostname()}_${randomUUID()}`,
    },
    port: config.PORT,
    resyncPeriodMs: config.RESYNC_SECONDS * 1000,
  })
  const stop = new AbortController()
  const onSignal = () => (stop.signal.aborted ? process.exit(1) : stop.abort())
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  await operator.run(stop.signal)
  process.exit(0)
}

function parseNamespaces(value: string | undefined, own: string): string[] {
  if (value === '*') return []
  const names = (value ?? own).split(',').map((name) => name.trim())
  return names.filter(Boolean)
}

main().catch((error: unknown) => {
  const isExpected = error instanceof ConfigError || error instanceof UnsupportedVersionError
  console.error(isExpected ? error.message : error)
  process.exit(1)
})
