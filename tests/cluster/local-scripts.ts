import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../../../shared/cluster')

/** Scripts beside the repository that start a control plane, nodes and a base image, if they exist. */
export const script = join(folder, 'control-plane.sh')
export const nodeScript = join(folder, 'node.sh')
export const baseImageScript = join(folder, 'base-image.sh')

export const clusterCache =
  process.env.LEGAL_SUITE_CLUSTER_CACHE ?? resolve(homedir(), '.cache/legal-suite-cluster')

/** The folder of the cluster binaries. */
export const binaries = join(clusterCache, 'bin')
