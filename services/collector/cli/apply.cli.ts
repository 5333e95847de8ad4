import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type RunItem, SeedRun } from '../packages/run.ts'
import { type CollectorTarget, requestCollector } from './client.cli.ts'
import { table } from './table.ts'

export interface ApplyFlags {
  dry_run: boolean
  force: boolean
  expect_plan_hash: string | undefined
}

/** Applies packages. Prints a line for each item when it ends. */
export async function apply(
  target: CollectorTarget,
  package_ids: string[],
  flags: ApplyFlags,
  print: (line: string) => void,
): Promise<SeedRun> {
  const run_id = randomUUID()
  const printed = new Set<string>()
  const printNew = ({ packages }: SeedRun) => {
    for (const { package_id, items } of packages) {
      for (const item of items) {
        const name = `${package_id} ${item.item_id}`
        if (printed.has(name) || item.status === 'pending' || item.status === 'running') continue
        printed.add(name)
        print(formatProgress(package_id, item))
      }
    }
  }
  let ended = false
  const applying = requestCollector(target, SeedRun, '/apply-internal', {
    package_ids,
    run_id,
    ...flags,
  }).finally(() => {
    ended = true
  })
  applying.catch(() => {})
  while (!ended) {
    await Promise.race([pause(300), applying.catch(() => {})])
    if (!ended) await requestCollector(target, SeedRun, `/runs/${run_id}`).then(printNew, () => {})
  }
  const run = await applying
  printNew(run)
  return run
}

const signs: Record<string, string> = { failed: '✗', skipped: '-', unchanged: '=' }

function formatProgress(
  packageId: string,
  { item_id, status, counts, duration_ms, error }: RunItem,
) {
  const sign = signs[status] ?? '✓'
  const detail = error ?? (status === 'skipped' ? 'not started' : formatCounts(counts))
  return `${sign} ${packageId}/${item_id}  ${status}  ${detail}  ${duration_ms} ms`
}

const formatCounts = (counts: RunItem['counts']) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'no records'

/** Formats a run as a table. */
export function runTable({ packages, status, plan_hash, dry_run, run_id }: SeedRun): string {
  const header = ['PACKAGE', 'ITEM', 'STATUS', 'CREATED', 'UPDATED', 'UNCHANGED', 'DELETED']
  const rows = packages.flatMap(({ package_id, items, ...summary }) => [
    [package_id, '', summary.status],
    ...items.map(({ item_id, status, counts }) => [
      '',
      item_id,
      status,
      ...[counts.created, counts.updated, counts.unchanged, counts.deleted].map(String),
    ]),
  ])
  const kind = dry_run ? 'dry run' : 'run'
  return `${table(header, rows)}\n\n${kind} ${run_id}: ${status}\nplan hash ${plan_hash}`
}
