import { defineConfig } from 'vitest/config'

/** Tests of the console in a Chromium, against one suite that all files share. */
export default defineConfig({
  test: {
    name: 'browser',
    include: ['tests/browser/**/*.browser.test.ts'],
    globalSetup: ['tests/browser/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    expect: { poll: { timeout: 30_000 } },
  },
})
