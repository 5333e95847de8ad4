import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { Provider } from '../provider.ts'
import { bundleDirectory } from './bundle.ts'
import { startNodes } from './start-nodes.ts'
import { prepareNamespaces, removeNamespaces } from './suite.ts'

/** Provides a cluster with nodes, the images, the definitions, an operator and clients. */
export default async function setup() {
  const provider = process.env.TEST_PROVIDER as Provider | undefined
  if (!provider) throw new Error('start these tests with npm run test:cluster -- --tier nodes')
  rmSync(bundleDirectory, { recursive: true, force: true })
  const cluster = await startNodes(provider, Number(process.env.TEST_NODES))
  process.env.TEST_KUBECONFIG = cluster.kubeconfig
  process.env.TEST_NAMESPACE = `legal-${randomBytes(3).toString('hex')}`
  try {
    process.env.TEST_TOKEN = await prepareNamespaces()
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return async () => {
    if (provider === 'existing') await removeNamespaces()
    await cluster.stop()
  }
}
