import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import {
  findProvider,
  type Provider,
  providers,
  type Tier,
  thisMachine,
  tiers,
} from './provider.ts'

/**
 * Usage: `npm run test:cluster -- [--tier control-plane|nodes] [--provider existing|kind|envtest|local] [test files]`
 *
 * Without a cluster the command fails. With `--if-available` it succeeds without a cluster, also if the cluster
 * binaries would have to be built first. `--json FILE` writes the results to a file. `--nodes N` starts N nodes.
 */
const { values, positionals } = parseArgs({
  options: {
    tier: { type: 'string', default: 'control-plane' },
    provider: { type: 'string' },
    nodes: { type: 'string', default: '1' },
    'if-available': { type: 'boolean', default: false },
    json: { type: 'string' },
  },
  allowPositionals: true,
})

const fail = (code: number, message: string) => {
  console.error(message)
  process.exit(code)
}
const requireOneOf = (option: string, value: string, allowed: readonly string[]) => {
  if (!allowed.includes(value))
    fail(2, `--${option} is ${value}; possible values: ${allowed.join(', ')}`)
}
requireOneOf('tier', values.tier, tiers)
if (values.provider !== undefined) requireOneOf('provider', values.provider, providers)

const tier = values.tier as Tier
const quick = values['if-available']
const request = { tier, provider: values.provider as Provider | undefined, quick }
const found = findProvider(request, thisMachine)
if ('reason' in found) {
  if (quick) fail(0, `cluster tests skipped (${tier}): ${found.reason}`)
  fail(1, `no cluster for the tier ${tier}: ${found.reason}`)
} else {
  const reporters = values.json
    ? ['--reporter=default', '--reporter=json', `--outputFile.json=${values.json}`]
    : []
  const config = `tests/cluster/${tier === 'nodes' ? 'nodes/' : ''}vitest.config.ts`
  const env = { ...process.env, TEST_PROVIDER: found.provider, TEST_NODES: values.nodes }
  const args = ['run', '--config', config, ...reporters, ...positionals]
  process.exit(spawnSync('vitest', args, { stdio: 'inherit', env }).status ?? 1)
}
