import { defineConfig } from 'vitest/config'

/**
 * Tests against a real API server. Excluded from `npm test` because they need cluster binaries. They mostly wait
 * for the cluster, so more files than cores run at a time.
 */
export default defineConfig({
  test: {
    name: 'cluster',
    include: ['tests/cluster/**/*.cluster.test.ts'],
    globalSetup: ['tests/cluster/global-setup.ts'],
    testTimeout: 900_000,
    hookTimeout: 300_000,
    maxWorkers: 4,
  },
})
