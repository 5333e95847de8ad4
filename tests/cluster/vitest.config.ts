import { defineConfig } from 'vitest/config'

/** Tests against a real API server. Excluded from `npm test` because they need cluster binaries. */
export default defineConfig({
  test: {
    name: 'cluster',
    include: ['tests/cluster/**/*.cluster.test.ts'],
    globalSetup: ['tests/cluster/global-setup.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 1,
  },
})
