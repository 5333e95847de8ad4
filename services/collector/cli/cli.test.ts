import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type CollectorStage,
  configsPackage,
  stageCollector,
} from '../../../tests/support/collector.ts'
import { key } from '../../../tests/support/stage.ts'
import { listen } from '../../_run/listen.ts'
import { main } from './main.cli.ts'

const directory = mkdtempSync(join(tmpdir(), 'legal-suite-cli-'))
let at: CollectorStage
let server: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  at = await stageCollector()
  server = await listen(at.fetch, 0, '127.0.0.1')
})
afterAll(async () => {
  await server.close(0)
  await at.close()
  rmSync(directory, { recursive: true, force: true })
})

interface CommandOutput {
  code: number
  out: string
  err: string
}

/** Runs a command line in this process. Paths are relative to the directory of the test. */
async function seed(args: string[], env: Record<string, string> = {}): Promise<CommandOutput> {
  const out: string[] = []
  const err: string[] = []
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((text) => void out.push(`${text}\n`)),
    vi.spyOn(console, 'error').mockImplementation((text) => void err.push(`${text}\n`)),
  ]
  const code = await main(args, { ...buildEnv(), ...env })
  for (const spy of spies) spy.mockRestore()
  return { code, out: out.join(''), err: err.join('') }
}

const buildEnv = () => ({
  COLLECTOR_URL: `http://127.0.0.1:${server.port}`,
  INTERNAL_API_KEY: key,
})
const within = (path: string) => join(directory, path)

describe('legal-seed', () => {
  test('runs as an executable', async () => {
    const script = join(import.meta.dirname, '../cli.js')
    const env = { PATH: process.env.PATH ?? '', ...buildEnv() }
    const run = (args: string[]) =>
      new Promise<CommandOutput>((resolve) => {
        execFile(process.execPath, [script, ...args], { env }, (fault, out, err) =>
          resolve({ code: fault ? Number(fault.code) : 0, out, err }),
        )
      })
    const [listed, odd] = await Promise.all([run(['list', '--json']), run(['dance'])])
    expect([listed.code, JSON.parse(listed.out)]).toEqual([0, []])
    expect([odd.code, odd.err]).toEqual([2, expect.stringContaining('Unknown command: dance')])
  })

  test('list, manifest and apply print tables', async () => {
    at.library.put('people', configsPackage('people', { one: { 'p.a': 1 }, two: { 'p.b': 1 } }))
    const listed = await seed(['list'])
    expect(listed.out.split('\n')[0]).toMatch(
      /^PACKAGE {2}VERSION +STATUS {2}ITEMS {2}APPLIED {2}NAME$/,
    )
    expect(listed.out).toContain('people   2026-01-31  new     2')
    const shown = await seed(['manifest', 'people'])
    expect(shown.out).toContain('one   platform.seed.system_configs.upsert')
    const dry = await seed(['apply', 'people', '--dry-run'])
    expect([dry.code, at.targets.writes()]).toEqual([0, []])
    expect(dry.err).toMatch(/✓ people\/one {2}planned {2}1 created {2}\d+ ms\n/)
    const hash = /plan hash (\w{64})/.exec(dry.out)![1]!
    const moved = await seed(['apply', 'people', '--expect-plan-hash', 'another'])
    expect([moved.code, moved.err]).toEqual([
      1,
      expect.stringContaining('PLAN_MOVED: The plan has changed since the dry run'),
    ])
    const done = await seed(['apply', 'people', '--expect-plan-hash', hash])
    expect(done.code).toBe(0)
    expect(done.out).toMatch(/one +applied +1 +0 +0 +0/)
    const again = await seed(['apply', 'people'])
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('= people/one  unchanged')])
  })

  test('--json prints the same data as JSON', async () => {
    at.library.put('machines', configsPackage('machines', { one: { 'm.a': 'refuse-me' } }))
    at.targets.state.rejectBodiesWith.add('refuse-me')
    const failed = await seed(['apply', 'machines', '--json'])
    expect([failed.code, failed.err]).toEqual([1, ''])
    expect(JSON.parse(failed.out)).toMatchObject({ status: 'failed', dry_run: false })
    const listed = JSON.parse((await seed(['list', '--json'])).out)
    expect(listed[0]).toMatchObject({ package_id: 'machines', status: 'new' })
    const lost = await seed(['manifest', 'nowhere', '--json'])
    expect([lost.code, JSON.parse(lost.out).code]).toEqual([1, 'NOT_FOUND'])
  })

  test('invalid arguments exit with 2, a wrong key and an unreachable service with 1', async () => {
    for (const args of [[], ['dance'], ['apply'], ['manifest'], ['list', 'x'], ['list', '--odd']]) {
      const { code, err } = await seed(args)
      expect([code, err]).toEqual([2, expect.stringContaining('legal-seed list')])
    }
    const key = await seed(['list'], { INTERNAL_API_KEY: 'wrong' })
    expect([key.code, key.err]).toEqual([1, expect.stringContaining('UNAUTHENTICATED')])
    const away = await seed(['list'], { COLLECTOR_URL: 'http://127.0.0.1:1' })
    expect(away.err).toContain('collector-service is unreachable at http://127.0.0.1:1')
    expect((await seed(['--help'])).code).toBe(0)
  })

  test('reads the internal key from the data directory of npm start', async () => {
    mkdirSync(join(directory, 'kept'), { recursive: true })
    writeFileSync(join(directory, 'kept/internal-api-key'), `${key}\n`)
    const { code } = await seed(['list'], { INTERNAL_API_KEY: '', DATA_DIR: within('kept') })
    expect(code).toBe(0)
  })

  test('new creates a valid package and does not overwrite an existing one', async () => {
    expect((await seed(['new', 'mine', '--dir', within('packages')])).code).toBe(0)
    const valid = await seed(['validate', within('packages/mine')])
    expect([valid.code, valid.out]).toEqual([0, expect.stringContaining('is valid: 1 items')])
    expect((await seed(['new', 'mine', '--dir', within('packages')])).code).toBe(1)
    expect((await seed(['new', '../mine'])).code).toBe(2)
    writeFileSync(join(directory, 'packages/mine/data/configs.json'), '{')
    const broken = await seed(['validate', within('packages/mine')])
    expect([broken.code, broken.out]).toEqual([1, expect.stringContaining('Not JSON.')])
    expect((await seed(['validate', 'nowhere'])).code).toBe(2)
  })
})

describe('legal-seed build', () => {
  const law = `---
law: 中华人民共和国样法
effective_from: 2021-01-01
aliases: [样法]
---
# 中华人民共和国样法

## 第一编 总则
### 第一章 一般规定
**第一条** 为了示范，制定本法。
第二条　借款应当归还。
第四条 利息由当事人约定。
`

  test('builds a package from a directory of statutes', async () => {
    mkdirSync(join(directory, 'laws/民法'), { recursive: true })
    writeFileSync(join(directory, 'laws/民法/样法.md'), law)
    writeFileSync(join(directory, 'laws/README.md'), 'not a law')
    const args = [
      'build',
      '--from',
      within('laws'),
      '--out',
      within('built'),
      '--version',
      '2026-02-01',
    ]
    const { code, out } = await seed(args)
    expect([code, out]).toEqual([0, expect.stringContaining('第四条 follows article 2.')])
    const read = (path: string) => readFileSync(join(directory, 'built', path), 'utf8')
    expect(JSON.parse(read('data/documents.json'))).toEqual({
      kb: { name: 'sys_statutes' },
      documents: [
        {
          document_id: '民法/样法',
          doc_type: 'statute',
          title: '中华人民共和国样法',
          metadata: {
            law: { title: '中华人民共和国样法', effective_from: '2021-01-01' },
            aliases: ['样法'],
          },
          content_file: 'data/texts/0001.md',
        },
      ],
    })
    expect(read('data/texts/0001.md').split('\n').slice(0, 3)).toEqual([
      '第一编 总则',
      '第一章 一般规定',
      '第一条 为了示范，制定本法。',
    ])
    const first = read('manifest.json')
    expect((await seed(args)).code).toBe(0)
    expect(read('manifest.json')).toBe(first)
  })

  test('build does not overwrite a foreign directory and names the invalid file', async () => {
    mkdirSync(join(directory, 'precious'))
    writeFileSync(join(directory, 'precious/file'), '')
    const other = await seed(['build', '--from', within('laws'), '--out', within('precious')])
    expect(other.code).toBe(1)
    expect(existsSync(join(directory, 'precious/manifest.json'))).toBe(false)
    mkdirSync(join(directory, 'odd'))
    writeFileSync(join(directory, 'odd/x.md'), '---\neffective_from: soon\n---\n第一条 x')
    const odd = await seed(['build', '--from', within('odd'), '--out', within('odd_package')])
    expect([odd.code, odd.err]).toEqual([
      1,
      expect.stringContaining('x.md: front matter: effective_from'),
    ])
    expect((await seed(['build', '--from', within('laws')])).code).toBe(2)
  })
})
