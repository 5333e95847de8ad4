import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { binaries, nodeScript, script } from './local-scripts.ts'

export const tiers = ['control-plane', 'nodes'] as const
export type Tier = (typeof tiers)[number]

/** Sources of a test cluster in the order of preference. */
export const providers = ['existing', 'kind', 'envtest', 'local'] as const
export type Provider = (typeof providers)[number]

/** Facts about this machine that the discovery depends on. */
export interface Machine {
  env: Record<string, string | undefined>
  hasFile(path: string): boolean
  /** Runs a command. Returns whether it is installed and succeeds. */
  succeeds(command: string, ...args: string[]): boolean
  isRoot: boolean
}

export const thisMachine: Machine = {
  env: process.env,
  hasFile: existsSync,
  succeeds: (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0,
  isRoot: process.getuid?.() === 0,
}

interface Request {
  tier: Tier
  provider?: Provider | undefined
  /** Accepts only clusters that start without a build of their binaries. */
  quick?: boolean
}

/** Finds the first available provider, or the reasons in one line. The current context is never used. */
export function findProvider(
  { tier, provider, quick = false }: Request,
  machine: Machine,
): { provider: Provider } | { reason: string } {
  const candidates = provider ? [provider] : providers
  const reasons: string[] = []
  for (const candidate of candidates) {
    const reason = whyUnavailable[candidate](machine, tier, quick)
    if (reason === undefined) return { provider: candidate }
    reasons.push(reason)
  }
  return { reason: provider ? reasons[0]! : reasons.filter(Boolean).join(', or ') }
}

/** What to install or set for a provider; undefined if it is available, empty if nothing helps. */
const whyUnavailable: Record<
  Provider,
  (machine: Machine, tier: Tier, quick: boolean) => string | undefined
> = {
  existing: ({ env }) =>
    env.TEST_KUBECONFIG ? undefined : 'set TEST_KUBECONFIG to the kubeconfig of a test cluster',

  kind: (machine) =>
    machine.succeeds('kind', 'version') && findKindEngine(machine)
      ? undefined
      : 'install kind and docker or podman',

  envtest({ env, hasFile }, tier) {
    if (tier === 'nodes') return ''
    const folder = env.KUBEBUILDER_ASSETS
    return folder && ['etcd', 'kube-apiserver'].every((name) => hasFile(join(folder, name)))
      ? undefined
      : 'set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver'
  },

  local({ hasFile, isRoot }, tier, quick) {
    if (!hasFile(tier === 'nodes' ? nodeScript : script)) return ''
    if (tier === 'nodes' && !isRoot) return 'run as root: the scripts start nodes'
    const missing = requiredBinaries[tier].filter((name) => !hasFile(join(binaries, name)))
    return quick && missing.length > 0 ? `build ${missing.join(', ')} in ${binaries}` : undefined
  },
}

const controlPlane = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl']
const requiredBinaries: Record<Tier, string[]> = {
  'control-plane': controlPlane,
  nodes: [...controlPlane, 'kubelet', 'containerd', 'coredns', 'netpol', 'local-path-provisioner'],
}

/** The engine that kind uses: docker or podman. */
const findKindEngine = ({ succeeds }: Machine) =>
  ['docker', 'podman'].find((engine) => succeeds(engine, 'info'))
