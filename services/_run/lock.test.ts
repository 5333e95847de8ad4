import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { lock } from './lock.ts'

const directory = mkdtempSync(join(tmpdir(), 'legal-suite-lock-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const module = new URL('./lock.ts', import.meta.url).href
const script = `
  import { lock } from ${JSON.stringify(module)}
  lock(process.argv[1])
  console.log('locked')
  setInterval(() => {}, 1_000)`

const args = (file: string) => ['--input-type=module-typescript', '-e', script, file]

/** Starts a process that holds the lock. */
async function startHolder(file: string) {
  const child = spawn(process.execPath, args(file), { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

test('a lock is free as soon as its holder was killed, in 20 rounds under load', async () => {
  const file = join(directory, 'killed')
  const load = [1, 2].map(() => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  try {
    for (let round = 0; round < 20; round++) {
      const holder = await startHolder(file)
      if (round === 0) expect(() => lock(file)).toThrow('Another process uses this data directory')
      holder.kill('SIGKILL')
      // Taken without a turn of the event loop: the parent has not reaped the killed process yet.
      lock(file)()
      await once(holder, 'exit')
    }
  } finally {
    for (const child of load) child.kill('SIGKILL')
  }
}, 180_000)

const namespace = ['--map-root-user', '--pid', '--fork', '--mount-proc']
const hasNamespaces = spawnSync('unshare', [...namespace, 'true']).status === 0

test.runIf(hasNamespaces)(
  'a lock is held against a process in another PID namespace',
  async () => {
    const file = join(directory, 'container')
    const release = lock(file)
    const intrude = () =>
      spawnSync('unshare', [...namespace, 'timeout', '10', process.execPath, ...args(file)], {
        encoding: 'utf8',
      })
    expect(intrude().stderr).toContain('Another process uses this data directory')
    release()
    expect(intrude().stdout).toContain('locked')
  },
  60_000,
)

test('a lock can be taken again after release', () => {
  const file = join(directory, 'released')
  lock(file)()
  lock(file)()
})
