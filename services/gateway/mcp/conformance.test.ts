import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../../tests/support/process.ts'
import { type Stage, stage } from '../../../tests/support/stage.ts'
import { type Listening, listen } from '../../_run/listen.ts'
import gateway from '../service.ts'

const program = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
const directory = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))

let at: Stage
let server: Listening
beforeAll(async () => {
  at = await stage(gateway, { env: { HOST: '127.0.0.1' } })
  const token = await createToken()
  // The suite sends no credential, so this server adds one.
  server = await listen(
    async ({ url, method, headers, body }) => {
      const withToken = new Headers(headers)
      withToken.set('authorization', `Bearer ${token}`)
      const init: RequestInit & { duplex: 'half' } = {
        method,
        headers: withToken,
        body,
        duplex: 'half',
      }
      return at.fetch(new Request(url, init))
    },
    0,
    '127.0.0.1',
  )
})
afterAll(async () => {
  await server.close(0)
  await at.close()
  rmSync(directory, { recursive: true, force: true })
})

async function createToken(): Promise<string> {
  const post = (path: string, body: unknown, headers = {}) =>
    at.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    )
  const signedIn = await post('/auth/local', { person: 'sample-client' })
  const { data } = (await signedIn.json()) as any
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  const headers = { cookie, 'x-csrf-token': data.csrf }
  const created = await post('/auth/tokens', { name: 'mcp', scopes: ['*'] }, headers)
  return ((await created.json()) as any).data.token
}

/** Checks that do not apply, by reason. An entry is a scenario, or a scenario and a check. */
const notApplicable = {
  'calls a tool that only the reference server has': [
    ...['simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content', 'with-logging'].map(
      (name) => `tools-call-${name}`,
    ),
    ...['error', 'with-progress', 'sampling', 'elicitation'].map((name) => `tools-call-${name}`),
    ...['elicitation-sep1034-defaults', 'elicitation-sep1330-enums', 'json-schema-2020-12'],
    ...['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state'].map(
      (name) => `input-required-result-${name}`,
    ),
    ...['multiple-input-requests', 'multi-round', 'missing-input-response', 'result-type'].map(
      (name) => `input-required-result-${name}`,
    ),
    ...['tampered-state', 'capability-check', 'ignore-extra-params'].map(
      (name) => `input-required-result-${name}`,
    ),
    'server-stateless sep-2575-server-rejects-undeclared-capability',
    'server-stateless sep-2575-missing-capability-http-400',
    'server-stateless sep-2575-http-server-no-independent-requests-on-stream',
    'server-stateless sep-2575-server-no-log-without-loglevel',
  ],
  'the server has no resources': [
    ...['list', 'read-text', 'read-binary', 'templates-read', 'subscribe', 'unsubscribe'].map(
      (name) => `resources-${name}`,
    ),
    'sep-2164-resource-not-found',
    'caching sep-2549-resources-list-caching-hints',
    'caching sep-2549-resources-templates-list-caching-hints',
  ],
  'the server has no prompts': [
    ...['list', 'get-simple', 'get-with-args', 'get-embedded-resource', 'get-with-image'].map(
      (name) => `prompts-${name}`,
    ),
    'input-required-result-non-tool-request',
    'caching sep-2549-prompts-list-caching-hints',
  ],
  'the server has no completions and no log messages': ['completion-complete', 'logging-set-level'],
  'no tool takes an argument from a header': ['http-custom-header-server-validation'],
  'the server is stateless: it has no sessions and no streams to resume': [
    'server-sse-polling',
    'server-sse-multiple-streams server-sse-multiple-streams-session',
  ],
  'the list of tools never changes': [
    'server-stateless sep-2575-server-sends-tools-list-changed-on-subscription',
  ],
}
const exceptions = Object.values(notApplicable).flat()

/** Runs the official suite for a revision and returns the checks that did not pass, as `scenario check`. */
async function listFailures(revision: string): Promise<string[]> {
  const output = join(directory, revision)
  const url = `http://127.0.0.1:${server.port}/mcp`
  const args = ['server', '--url', url, '--suite', 'all', '--spec-version', revision, '-o', output]
  const suite = run(process.execPath, [program, ...args], {})
  await suite.exit
  const folders = readdirSync(output)
  expect(folders.length, suite.output()).toBeGreaterThan(20)
  return folders.flatMap((folder) => {
    const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    const checks: { id: string; status: string }[] = JSON.parse(
      readFileSync(join(output, folder, 'checks.json'), 'utf8'),
    )
    return checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ id }) => `${scenario} ${id}`)
  })
}

test('the conformance suite passes in all revisions, but for checks that do not apply', async () => {
  const revisions = ['2025-06-18', '2025-11-25', '2026-07-28']
  const failures = (await Promise.all(revisions.map(listFailures))).flat()
  const matches = (exception: string) => (failure: string) =>
    failure === exception || failure.startsWith(`${exception} `)
  const unexpected = failures.filter(
    (failure) => !exceptions.some((each) => matches(each)(failure)),
  )
  expect(unexpected).toEqual([])
  expect(exceptions.filter((each) => !failures.some(matches(each)))).toEqual([])
})
