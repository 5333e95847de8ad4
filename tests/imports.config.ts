import { defineConfig } from 'vitest/config'

/** Runs the import rules without the databases of the other tests. */
export default defineConfig({ test: { include: ['tests/imports.test.ts'] } })
