import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'

/** Address and credentials of the API server. */
export type Access = {
  server: URL
  /** The namespace of this process. */
  namespace: string
  ca?: Buffer | undefined
  cert?: Buffer | undefined
  key?: Buffer | undefined
  insecure?: boolean | undefined
  serverName?: string | undefined
  /** Returns the bearer token. `renew` forces a new one after a 401. */
  token: (renew?: boolean) => Promise<string | undefined>
}

const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount'

type Environment = Record<string, string | undefined>

/** Loads the access from `KUBECONFIG` if set, else from the service account of the pod. */
export async function loadAccess(env: Environment): Promise<Access> {
  if (env.KUBECONFIG) return kubeconfigAccess(env.KUBECONFIG)
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env
  if (!host) throw new Error('no cluster access: set KUBECONFIG or run inside a cluster')
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    namespace: (await readFile(`${serviceAccountDirectory}/namespace`, 'utf8')).trim(),
    ca: await readFile(`${serviceAccountDirectory}/ca.crt`),
    token: tokenFile(`${serviceAccountDirectory}/token`),
  }
}

const Cluster = z.object({
  server: z.url(),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.base64().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
})
const User = z.object({
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.base64().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.base64().optional(),
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  exec: z
    .undefined('exec plugins are not supported; use a token or a client certificate')
    .optional(),
})
const Kubeconfig = z.object({
  'current-context': z.string(),
  contexts: z.array(
    z.object({
      name: z.string(),
      context: z.object({
        cluster: z.string(),
        user: z.string(),
        namespace: z.string().optional(),
      }),
    }),
  ),
  clusters: z.array(z.object({ name: z.string(), cluster: Cluster })),
  users: z.array(z.object({ name: z.string(), user: User.nullish() })),
})

/** Reads the current context of a kubeconfig file. */
export async function kubeconfigAccess(path: string): Promise<Access> {
  const config = Kubeconfig.parse(parse(await readFile(path, 'utf8')))
  const { context } = findEntry(config.contexts, config['current-context'])
  const { cluster } = findEntry(config.clusters, context.cluster)
  const user: z.infer<typeof User> = findEntry(config.users, context.user).user ?? {}
  const readContent = async (data: string | undefined, file: string | undefined) => {
    if (data !== undefined) return Buffer.from(data, 'base64')
    return file === undefined ? undefined : readFile(resolve(dirname(path), file))
  }
  return {
    server: new URL(cluster.server),
    namespace: context.namespace ?? 'default',
    ca: await readContent(cluster['certificate-authority-data'], cluster['certificate-authority']),
    cert: await readContent(user['client-certificate-data'], user['client-certificate']),
    key: await readContent(user['client-key-data'], user['client-key']),
    insecure: cluster['insecure-skip-tls-verify'],
    serverName: cluster['tls-server-name'],
    token: user.tokenFile
      ? tokenFile(resolve(dirname(path), user.tokenFile))
      : async () => user.token,
  }
}

function findEntry<T extends { name: string }>(entries: T[], name: string): T {
  const entry = entries.find((entry) => entry.name === name)
  if (!entry) throw new Error(`kubeconfig: no entry named "${name}"`)
  return entry
}

/** Reads a token file and caches it for a minute. The kubelet replaces tokens long before they expire. */
export function tokenFile(path: string, maxAgeMs = 60_000): Access['token'] {
  let cached: { token: string; at: number } | undefined
  return async (renew = false) => {
    if (renew || !cached || Date.now() - cached.at > maxAgeMs) {
      cached = { token: (await readFile(path, 'utf8')).trim(), at: Date.now() }
    }
    return cached.token
  }
}
