import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'

/** Where the API server is and how to be let in. */
export type Access = {
  server: URL
  /** The namespace this process is at home in. */
  namespace: string
  ca?: Buffer | undefined
  cert?: Buffer | undefined
  key?: Buffer | undefined
  insecure?: boolean | undefined
  serverName?: string | undefined
  /** `renew` when the last one was refused. */
  token: (renew?: boolean) => Promise<string | undefined>
}

const account = '/var/run/secrets/kubernetes.io/serviceaccount'

type Environment = Record<string, string | undefined>

/** By `KUBECONFIG` when it is set, else as the service account of this pod. */
export async function loadAccess(env: Environment): Promise<Access> {
  if (env.KUBECONFIG) return kubeconfigAccess(env.KUBECONFIG)
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env
  if (!host) throw new Error('set KUBECONFIG, or run inside a cluster')
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    namespace: (await readFile(`${account}/namespace`, 'utf8')).trim(),
    ca: await readFile(`${account}/ca.crt`),
    token: tokenFile(`${account}/token`),
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
    .undefined('exec plugins are not supported: use a token or a client certificate')
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

/** The current context of a kubeconfig file. */
export async function kubeconfigAccess(path: string): Promise<Access> {
  const config = Kubeconfig.parse(parse(await readFile(path, 'utf8')))
  const { context } = named(config.contexts, config['current-context'])
  const { cluster } = named(config.clusters, context.cluster)
  const user: z.infer<typeof User> = named(config.users, context.user).user ?? {}
  const content = async (data: string | undefined, file: string | undefined) => {
    if (data !== undefined) return Buffer.from(data, 'base64')
    return file === undefined ? undefined : readFile(resolve(dirname(path), file))
  }
  return {
    server: new URL(cluster.server),
    namespace: context.namespace ?? 'default',
    ca: await content(cluster['certificate-authority-data'], cluster['certificate-authority']),
    cert: await content(user['client-certificate-data'], user['client-certificate']),
    key: await content(user['client-key-data'], user['client-key']),
    insecure: cluster['insecure-skip-tls-verify'],
    serverName: cluster['tls-server-name'],
    token: user.tokenFile
      ? tokenFile(resolve(dirname(path), user.tokenFile))
      : async () => user.token,
  }
}

function named<T extends { name: string }>(entries: T[], name: string): T {
  const entry = entries.find((entry) => entry.name === name)
  if (!entry) throw new Error(`the kubeconfig names "${name}", which is not in it`)
  return entry
}

/** A mounted token is replaced long before it ends, so it is read again every minute. */
export function tokenFile(path: string, maxAge = 60_000): Access['token'] {
  let last: { token: string; at: number } | undefined
  return async (renew = false) => {
    if (renew || !last || Date.now() - last.at > maxAge) {
      last = { token: (await readFile(path, 'utf8')).trim(), at: Date.now() }
    }
    return last.token
  }
}
