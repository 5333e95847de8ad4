import { existsSync } from 'node:fs'
import type { Agent } from 'node:http'
import type { RequestOptions } from 'node:https'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import { type Credentials, isSameIdentity } from './credentials.ts'
import { loadKubeConfig, withoutCaches } from './kube-config.ts'
import { proxyFromEnv } from './proxy-env.ts'

/** Address and credentials of the API server. */
export type Access = {
  server: URL
  /** The namespace of this process. */
  namespace: string
  /** URL of an HTTP proxy. */
  proxy?: string | undefined
  /**
   * Returns the credentials of the next request. Files and expired tokens are read again. `rejected` credentials
   * got a 401: their caches are dropped.
   */
  credentials: (rejected?: Credentials) => Promise<Credentials>
}

type Environment = Record<string, string | undefined>

/**
 * Loads the access from `KUBECONFIG` if set, else from the service account of the pod, else from
 * `~/.kube/config`. `root` is a prefix of the directory of the service account.
 */
export async function loadAccess(env: Environment, context?: string, root = ''): Promise<Access> {
  if (env.KUBECONFIG) {
    return makeAccess(loadKubeConfig(env.KUBECONFIG.split(delimiter).filter(Boolean), context), env)
  }
  if (env.KUBERNETES_SERVICE_HOST && !context) {
    const config = new KubeConfig()
    config.loadFromCluster(root)
    return makeAccess(config, env)
  }
  const path = join(env.HOME ?? homedir(), '.kube', 'config')
  if (existsSync(path)) return makeAccess(loadKubeConfig([path], context), env)
  throw new Error(`no cluster access: set KUBECONFIG, create ${path} or run inside a cluster`)
}

/** Loads the access from one kubeconfig file. */
export const kubeconfigAccess = async (path: string, context?: string): Promise<Access> =>
  makeAccess(loadKubeConfig([path], context), {})

function makeAccess(config: KubeConfig, env: Environment): Access {
  const name = config.getCurrentContext()
  const context = config.getContextObject(name)
  if (!context) throw new Error(`kubeconfig: no context named "${name}"`)
  const cluster = config.getCluster(context.cluster)
  if (!cluster) throw new Error(`kubeconfig: no cluster named "${context.cluster}"`)
  if (!config.getUser(context.user)) throw new Error(`kubeconfig: no user named "${context.user}"`)
  const server = new URL(cluster.server)
  const proxy = cluster.proxyUrl || proxyFromEnv(env, server)
  const isSocks = proxy?.startsWith('socks')
  if (proxy) config.clusters = [{ ...cluster, proxyUrl: proxy }]
  return {
    server,
    namespace: context.namespace?.trim() || 'default',
    proxy: isSocks ? undefined : proxy,
    credentials: shareCredentials(config, isSocks),
  }
}

/** Longest wait for an exec plugin. Later requests then call it again. */
const maxPluginMs = 60_000

/** Concurrent requests share one call of an exec plugin or auth provider. */
function shareCredentials(loaded: KubeConfig, keepAgent = false): Access['credentials'] {
  let config = loaded
  let latest: Credentials | undefined
  let pending: Promise<Credentials> | undefined
  return (rejected) => {
    if (pending) return pending
    // client-node takes the lifetime of a refreshed OIDC token for its expiry and would refresh it on every
    // request. Without its cache it reads the expiry from the token.
    const isOidc = config.getCurrentUser()?.authProvider?.name === 'oidc'
    if (isOidc || (rejected && latest && isSameIdentity(rejected, latest)))
      config = withoutCaches(config)
    const reading = readCredentials(config, keepAgent)
    const end = () => {
      clearTimeout(timer)
      if (pending === reading) pending = undefined
    }
    const timer = setTimeout(end, maxPluginMs).unref()
    pending = reading
    reading.then((credentials) => (latest = credentials)).then(end, end)
    return reading
  }
}

async function readCredentials(config: KubeConfig, keepAgent: boolean): Promise<Credentials> {
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  const { ca, cert, key, servername, rejectUnauthorized, agent, auth } = options
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    headers[name.toLowerCase()] = String(value).trim()
  }
  if (auth) headers.authorization = `Basic ${Buffer.from(auth).toString('base64')}`
  return {
    headers,
    tls: {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(servername && { servername }),
      ...(rejectUnauthorized === false && { rejectUnauthorized }),
    },
    ...(keepAgent && { agent: agent as Agent }),
  }
}
