import { defineConfig } from 'vitest/config'

const contract = ['services/**/*.contract.test.ts']
const common = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
}

/** Contract tests run in each of these projects; all other tests run in `once`. */
const contractProject = (name: string) => ({
  extends: true as const,
  test: { ...common, name, include: contract, env: { TEST_PROJECT: name } },
})

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    // Tests wait for databases and processes: one worker more than cores keeps two cores busy.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          ...common,
          name: 'once',
          include: ['services', 'operator', 'packaging', 'tests'].map(
            (folder) => `${folder}/**/*.test.ts`,
          ),
          exclude: [
            ...contract,
            ...['cluster', 'nodes', 'browser'].map((tier) => `**/*.${tier}.test.ts`),
            'node_modules/**',
          ],
        },
      },
      ...['pglite', 'postgres', 'deno', 'workerd'].map(contractProject),
    ],
  },
})
