import { parseArgs } from 'node:util'
import { apply, runTable } from './apply.cli.ts'
import { build, buildTable } from './build.cli.ts'
import {
  type CollectorTarget,
  CommandError,
  type Environment,
  resolveTarget,
} from './client.cli.ts'
import { createPackage } from './new.cli.ts'
import { fetchManifest, fetchPackages, listTable, manifestTable } from './show.cli.ts'
import { UsageError, usage } from './usage.ts'
import { formatValidation, validate } from './validate.cli.ts'

const options = {
  'dry-run': { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  'expect-plan-hash': { type: 'string' },
  json: { type: 'boolean', default: false },
  url: { type: 'string' },
  key: { type: 'string' },
  dir: { type: 'string' },
  from: { type: 'string' },
  out: { type: 'string' },
  'package-id': { type: 'string' },
  kb: { type: 'string' },
  version: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof parseCommandLine>['values']

/** Result of a command as JSON data and as text. */
interface CommandResult {
  data: unknown
  text: string
  ok: boolean
}

type Command = (args: string[], values: Values, target: CollectorTarget) => Promise<CommandResult>

const today = () => new Date().toISOString().slice(0, 10)

const commands: Record<string, Command> = {
  async list(args, _, target) {
    requireArgs(args, 0)
    const data = await fetchPackages(target)
    return { data, text: listTable(data), ok: true }
  },

  async manifest(args, _, target) {
    const [id] = requireArgs(args, 1)
    const data = await fetchManifest(target, id!)
    return { data, text: manifestTable(data), ok: true }
  },

  async apply(ids, values, target) {
    if (ids.length === 0) throw new UsageError('Missing argument: package ids.')
    const flags = {
      dry_run: values['dry-run'],
      force: values.force,
      expect_plan_hash: values['expect-plan-hash'],
    }
    const data = await apply(target, ids, flags, (line) => values.json || console.error(line))
    return { data, text: runTable(data), ok: data.status === 'succeeded' }
  },

  async validate(args) {
    const [directory] = requireArgs(args, 1)
    const data = await validate(directory!)
    return { data, text: formatValidation(data), ok: data.valid }
  },

  async new(args, values) {
    const [id] = requireArgs(args, 1)
    const files = createPackage(id!, values.dir ?? 'seed_packages', today())
    return { data: { files }, text: `Created ${files.join(', ')}.`, ok: true }
  },

  async build(args, values) {
    requireArgs(args, 0)
    const { from, out } = values
    if (!from || !out) throw new UsageError('Missing options: build needs --from and --out.')
    const data = await build({
      from,
      out,
      packageId: values['package-id'],
      kb: values.kb ?? 'sys_statutes',
      version: values.version ?? today(),
    })
    return { data, text: buildTable(data), ok: true }
  },
}

function requireArgs(args: string[], count: number): string[] {
  if (args.length !== count) {
    throw new UsageError(
      count === 0 ? `Unexpected argument: ${args[0]}` : 'Expected exactly one argument.',
    )
  }
  return args
}

function parseCommandLine(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (thrown) {
    throw new UsageError((thrown as Error).message)
  }
}

/** Runs a command line and returns the exit code. */
export async function main(args: string[], env: Environment): Promise<number> {
  const asJson = args.includes('--json')
  try {
    const { values, positionals } = parseCommandLine(args)
    const [name, ...rest] = positionals
    if (values.help || name === 'help') {
      console.log(usage)
      return 0
    }
    const command = name && Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command) throw new UsageError(name ? `Unknown command: ${name}` : 'Missing command.')
    const { data, text, ok } = await command(rest, values, resolveTarget(values, env))
    console.log(values.json ? JSON.stringify(data, null, 2) : text)
    return ok ? 0 : 1
  } catch (thrown) {
    return reportError(thrown, asJson)
  }
}

function reportError(thrown: unknown, asJson: boolean): number {
  if (thrown instanceof UsageError) {
    console.error(`${thrown.message}\n\n${usage}`)
    return 2
  }
  if (!(thrown instanceof CommandError)) throw thrown
  const { code, message, data } = thrown
  if (asJson) console.log(JSON.stringify({ code, message, data }, null, 2))
  else {
    const { issues = [] } = (data ?? {}) as { issues?: { path: string; message: string }[] }
    const lines = issues.map(({ path, message }) => `  ${path ? `${path}: ` : ''}${message}`)
    console.error([`${code}: ${message}`, ...lines].join('\n'))
  }
  return 1
}
