import { defineConfig } from 'vitest/config'
import { hasControllers } from './envtest.ts'

/** Tests that need the controller manager, which envtest does not have. */
const needControllers = ['lifecycle', 'many', 'operator', 'restart', 'rights']
const { TEST_PROVIDER, KUBEBUILDER_ASSETS } = process.env
const isWithoutControllers = TEST_PROVIDER === 'envtest' && !hasControllers(KUBEBUILDER_ASSETS!)

/**
 * Tests against a real API server. Excluded from `npm test` because they need cluster binaries. They mostly wait
 * for the cluster, so more files than cores run at a time.
 */
export default defineConfig({
  test: {
    name: 'cluster',
    include: ['tests/cluster/*.cluster.test.ts'],
    exclude: isWithoutControllers
      ? needControllers.map((name) => `tests/cluster/${name}.cluster.test.ts`)
      : [],
    globalSetup: ['tests/cluster/global-setup.ts'],
    testTimeout: 900_000,
    hookTimeout: 300_000,
    maxWorkers: 4,
  },
})
