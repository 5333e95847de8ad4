import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { cannotStart } from './control-plane.ts'

/** Usage: `npm run test:cluster -- --tier control-plane [test files]` */
const { values, positionals } = parseArgs({
  options: { tier: { type: 'string', default: 'control-plane' } },
  allowPositionals: true,
})
if (values.tier !== 'control-plane') {
  console.error(`there is no tier "${values.tier}": the tests run against a control plane`)
  process.exit(2)
}
if (cannotStart && !process.env.TEST_KUBECONFIG) {
  console.error(`no cluster: ${cannotStart}`)
  process.exit(1)
}
const args = ['run', '--config', 'tests/cluster/vitest.config.ts', ...positionals]
process.exit(spawnSync('vitest', args, { stdio: 'inherit' }).status ?? 1)
