import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const version = '4.32.5'
const fuzzDirectory = dirname(fileURLToPath(import.meta.url))
const cache = join(fuzzDirectory, '../../.cache/fuzz')
const environment = join(cache, `schemathesis-${version}`)

/** Installs schemathesis on the first call. Returns the problem, or undefined if it is installed. */
export function installProblem(): string | undefined {
  const installed = join(environment, 'installed')
  if (existsSync(installed)) return undefined
  rmSync(environment, { recursive: true, force: true })
  try {
    execFileSync('python3', ['-m', 'venv', environment], { stdio: 'pipe' })
  } catch {
    return 'python3 with venv is needed, version 3.10 or later'
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  try {
    const python = join(environment, 'bin/python')
    execFileSync(python, [...pip, `schemathesis==${version}`], { stdio: 'pipe' })
  } catch {
    return `schemathesis ${version} cannot be installed from PyPI`
  }
  writeFileSync(installed, '')
  return undefined
}

interface Report {
  operations: { tested: number }
  test_cases: { generated: number; unique_failures: number; errored: number }
}

interface FuzzOptions {
  /** Base URL of the service. */
  url: string
  headers: Record<string, string>
  /** Environment of the hooks. */
  env: Record<string, string>
  examples: string
  seed: string
}

/** Runs all checks and phases of schemathesis. */
export async function fuzz(service: string, { url, headers, env, examples, seed }: FuzzOptions) {
  const directory = join(cache, service)
  mkdirSync(directory, { recursive: true })
  const report = join(directory, 'report.json')
  rmSync(report, { force: true })
  const args = [
    ...['run', `${url}/api/v1/v3/api-docs`, '--no-color', '--continue-on-failure'],
    ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing,stateful'],
    ...['--max-examples', examples, '--seed', seed, '--generation-database', 'none'],
    ...['--request-timeout', '20', '--report', 'json', '--report-json-path', report],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
  ]
  const { code, output } = await runCommand(
    join(environment, 'bin/schemathesis'),
    args,
    directory,
    env,
  )
  if (!existsSync(report)) throw new Error(`schemathesis did not run:\n${output}`)
  const { operations, test_cases } = JSON.parse(readFileSync(report, 'utf8')) as Report
  return {
    passed: code === 0,
    output,
    operations: operations.tested,
    requests: test_cases.generated,
    failures: test_cases.unique_failures + test_cases.errored,
  }
}

function runCommand(command: string, args: string[], cwd: string, env: Record<string, string>) {
  const child = spawn(command, args, {
    cwd,
    env: {
      ...process.env,
      PYTHONPATH: fuzzDirectory,
      PYTHONDONTWRITEBYTECODE: '1',
      SCHEMATHESIS_HOOKS: 'hooks',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  return new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
