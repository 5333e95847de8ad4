#!/usr/bin/env node
// Plain JavaScript, so that an old Node can run it: it starts a newer Node or prints an error.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const major = Number(process.versions.node.split('.')[0])
const args = process.argv.slice(2)

if (major >= 24) {
  const { main } = await import('./cli/main.cli.ts')
  process.exitCode = await main(args)
} else {
  const own = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))
  if (existsSync(own) && process.env.LEGAL_AUDIT_NODE !== own) {
    const env = { ...process.env, LEGAL_AUDIT_NODE: own }
    const script = fileURLToPath(import.meta.url)
    const { status } = spawnSync(own, [script, ...args], { stdio: 'inherit', env })
    process.exitCode = status ?? 1
  } else {
    console.error(`Node ${process.versions.node} is too old: legal-audit needs Node 24 or later.`)
    process.exitCode = 2
  }
}
