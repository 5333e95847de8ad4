import { defineConfig } from 'vitest/config'

const contract = ['services/**/*.contract.test.ts']
const common = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } },
}

/** The contract tests run once in each place; everything else runs once. */
const placed = (place: string) => ({
  extends: true as const,
  test: { ...common, name: place, include: contract, env: { TEST_PLACE: place } },
})

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          ...common,
          name: 'once',
          include: ['services/**/*.test.ts', 'operator/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...contract, '**/*.cluster.test.ts', 'node_modules/**'],
        },
      },
      ...['pglite', 'postgres', 'deno', 'workerd'].map(placed),
    ],
  },
})
