import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js'
import { parse } from 'yaml'

type UserEntry = { name?: string; user?: Record<string, unknown> | null }
type Exec = {
  command: string
  apiVersion?: string
  env?: { name: string; value: string }[] | null
  provideClusterInfo?: boolean
}

/**
 * Reads and merges kubeconfig files by the rules of kubectl: missing files are skipped, and the first file that
 * sets a name or the current context wins. Relative paths start at the directory of their file.
 */
export function loadKubeConfig(paths: string[], context?: string): KubeConfig {
  const merged = new KubeConfig()
  const existing = paths.filter((path) => existsSync(path))
  if (existing.length === 0) throw new Error(`kubeconfig not found: ${paths.join(', ')}`)
  for (const path of existing) {
    const next = readKubeConfig(path)
    next.clusters = next.clusters.filter(({ name }) => !merged.getCluster(name))
    next.users = next.users.filter(({ name }) => !merged.getUser(name))
    next.contexts = next.contexts.filter(({ name }) => !merged.getContextObject(name))
    merged.mergeConfig(next, Boolean(merged.currentContext))
  }
  if (context) merged.setCurrentContext(context)
  return withExecInfo(merged)
}

function readKubeConfig(path: string): KubeConfig {
  const config = new KubeConfig()
  const content = parse(readFileSync(path, 'utf8')) ?? {}
  const directory = dirname(resolve(path))
  const users = Array.isArray(content.users) ? content.users : []
  content.users = users.map((entry: UserEntry) => resolveUser(entry, directory))
  config.loadFromString(JSON.stringify(content))
  config.makePathsAbsolute(directory)
  // client-node passes the issuer on as it is, and its OpenID client accepts only a URL.
  for (const { authProvider } of config.users) {
    const issuer = authProvider?.config?.['idp-issuer-url']
    if (issuer) authProvider.config['idp-issuer-url'] = new URL(issuer)
  }
  return config
}

/** Translates `tokenFile`, which client-node does not read, to its provider that reads the file repeatedly. */
function resolveUser({ name, user }: UserEntry, directory: string): UserEntry {
  const { tokenFile, token, exec, ...rest } = user ?? {}
  if (typeof tokenFile === 'string') {
    const config = { tokenFile: resolve(directory, tokenFile) }
    return { name, user: { ...rest, 'auth-provider': { name: 'tokenFile', config } } } as UserEntry
  }
  const command = (exec as Exec | undefined)?.command
  const isRelative = command?.includes('/')
  return {
    name,
    user: {
      ...rest,
      ...(token ? { token } : {}),
      ...(exec
        ? { exec: { ...exec, ...(isRelative && { command: resolve(directory, command!) }) } }
        : {}),
    },
  } as UserEntry
}

/** Adds `KUBERNETES_EXEC_INFO` to the environment of exec plugins. Plugins may require it. */
function withExecInfo(config: KubeConfig): KubeConfig {
  const cluster = config.getCurrentCluster()
  config.users = config.users.map((user): User => {
    if (!user.exec) return user
    const exec = user.exec as Exec
    const info = {
      apiVersion: exec.apiVersion ?? 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        ...(exec.provideClusterInfo && cluster ? { cluster: clusterInfo(cluster) } : {}),
      },
    }
    const variable = { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }
    return { ...user, exec: { ...exec, env: [variable, ...(exec.env ?? [])] } }
  })
  return config
}

const clusterInfo = ({ server, caData, caFile, ...rest }: Cluster) => ({
  server,
  'tls-server-name': rest.tlsServerName,
  'insecure-skip-tls-verify': rest.skipTLSVerify || undefined,
  'certificate-authority-data': caData ?? (caFile && readFileSync(caFile, 'base64')),
  'proxy-url': rest.proxyUrl,
})

/** Returns a copy without cached exec credentials and tokens. */
export function withoutCaches({ clusters, users, contexts, currentContext }: KubeConfig) {
  const copy = new KubeConfig()
  copy.loadFromOptions({ clusters, users, contexts, currentContext })
  return copy
}
