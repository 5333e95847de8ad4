import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { cannotStart, cannotStartQuickly } from './control-plane.ts'

/**
 * Usage: `npm run test:cluster -- --tier control-plane [test files]`
 *
 * Without a cluster the command fails. With `--if-available` it succeeds without a cluster, also if the cluster
 * binaries would have to be built first. `--json FILE` writes the results to a file.
 */
const { values, positionals } = parseArgs({
  options: {
    tier: { type: 'string', default: 'control-plane' },
    'if-available': { type: 'boolean', default: false },
    json: { type: 'string' },
  },
  allowPositionals: true,
})
if (values.tier !== 'control-plane') {
  console.error(`there is no tier "${values.tier}": the tests run against a control plane`)
  process.exit(2)
}
const isOptional = values['if-available']
const reason = isOptional ? cannotStartQuickly : cannotStart
if (reason && !process.env.TEST_KUBECONFIG) {
  console.error(isOptional ? `cluster tests skipped: ${reason}` : `no cluster: ${reason}`)
  process.exit(isOptional ? 0 : 1)
}
const reporters = values.json
  ? ['--reporter=default', '--reporter=json', `--outputFile.json=${values.json}`]
  : []
const args = ['run', '--config', 'tests/cluster/vitest.config.ts', ...reporters, ...positionals]
process.exit(spawnSync('vitest', args, { stdio: 'inherit' }).status ?? 1)
