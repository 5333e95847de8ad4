import { defineConfig } from 'vitest/config'

/** The import rules alone, without the databases that the other tests stand on. */
export default defineConfig({ test: { include: ['tests/imports.test.ts'] } })
