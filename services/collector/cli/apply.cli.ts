import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type RunItem, SeedRun } from '../packages/run.ts'
import { ask, type Where } from './client.cli.ts'
import { table } from './table.ts'

export interface How {
  dry_run: boolean
  force: boolean
  expect_plan_hash: string | undefined
}

/** Applies packages; `tell` is given a line for each item as it ends. */
export async function apply(
  where: Where,
  package_ids: string[],
  how: How,
  tell: (line: string) => void,
): Promise<SeedRun> {
  const run_id = randomUUID()
  const told = new Set<string>()
  const tellOf = ({ packages }: SeedRun) => {
    for (const { package_id, items } of packages) {
      for (const item of items) {
        const name = `${package_id} ${item.item_id}`
        if (told.has(name) || item.status === 'pending' || item.status === 'running') continue
        told.add(name)
        tell(progress(package_id, item))
      }
    }
  }
  let ended = false
  const applying = ask(where, SeedRun, '/apply-internal', { package_ids, run_id, ...how }).finally(
    () => {
      ended = true
    },
  )
  applying.catch(() => {})
  while (!ended) {
    await Promise.race([pause(300), applying.catch(() => {})])
    if (!ended) await ask(where, SeedRun, `/runs/${run_id}`).then(tellOf, () => {})
  }
  const run = await applying
  tellOf(run)
  return run
}

const signs: Record<string, string> = { failed: '✗', skipped: '-', unchanged: '=' }

function progress(packageId: string, { item_id, status, counts, duration_ms, error }: RunItem) {
  const sign = signs[status] ?? '✓'
  const what = error ?? (status === 'skipped' ? 'not begun' : countsOf(counts))
  return `${sign} ${packageId}/${item_id}  ${status}  ${what}  ${duration_ms} ms`
}

const countsOf = (counts: RunItem['counts']) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'nothing there'

/** A run for people. */
export function runTable({ packages, status, plan_hash, dry_run, run_id }: SeedRun): string {
  const head = ['PACKAGE', 'ITEM', 'STATUS', 'CREATED', 'UPDATED', 'UNCHANGED', 'DELETED']
  const rows = packages.flatMap(({ package_id, items, ...whole }) => [
    [package_id, '', whole.status],
    ...items.map(({ item_id, status, counts }) => [
      '',
      item_id,
      status,
      ...[counts.created, counts.updated, counts.unchanged, counts.deleted].map(String),
    ]),
  ])
  const kind = dry_run ? 'dry run' : 'run'
  return `${table(head, rows)}\n\n${kind} ${run_id}: ${status}\nplan hash ${plan_hash}`
}
