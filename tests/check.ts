import { spawnSync } from 'node:child_process'

/** Checks besides the tests. All checks run, even after a failure. */
const checks: [name: string, command: string, args: string[]][] = [
  ['types', 'tsc', ['-p', '.']],
  ['lint and format', 'biome', ['check', '--error-on-warnings', '.']],
  ['dead code', 'knip', []],
  ['import rules', 'vitest', ['run', '--config', 'tests/imports.config.ts']],
  ['generated files', process.execPath, ['tests/generate.ts', '--check']],
]

let failed = 0
for (const [name, command, args] of checks) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  if (status !== 0) {
    failed++
    console.log(stdout, stderr)
  }
}
process.exit(failed === 0 ? 0 : 1)
