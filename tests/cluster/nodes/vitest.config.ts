import { defineConfig } from 'vitest/config'

/** Tests with real pods on real nodes. They share one suite, so one file runs at a time. */
export default defineConfig({
  test: {
    name: 'nodes',
    include: ['tests/cluster/nodes/*.nodes.test.ts'],
    globalSetup: ['tests/cluster/nodes/global-setup.ts'],
    setupFiles: ['tests/cluster/nodes/setup.ts'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
})
