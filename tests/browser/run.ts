import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { findChromium } from './chromium.ts'

/**
 * Usage: `npm run test:browser -- [test files]`
 *
 * Without a Chromium the command fails; with `--if-available` it succeeds. `--json FILE` writes the results to a
 * file. `CHROMIUM_PATH` names the executable.
 */
const { values, positionals } = parseArgs({
  options: { 'if-available': { type: 'boolean', default: false }, json: { type: 'string' } },
  allowPositionals: true,
})
if (!findChromium()) {
  const isOptional = values['if-available']
  console.error(`${isOptional ? 'browser tests skipped: ' : ''}no Chromium; set CHROMIUM_PATH`)
  process.exit(isOptional ? 0 : 1)
}
const reporters = values.json
  ? ['--reporter=default', '--reporter=json', `--outputFile.json=${values.json}`]
  : []
const args = ['run', '--config', 'tests/browser/vitest.config.ts', ...reporters, ...positionals]
process.exit(spawnSync('vitest', args, { stdio: 'inherit' }).status ?? 1)
