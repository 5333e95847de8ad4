import { newId } from '../../services/_kit/ids.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { makeSql } from '../../services/_kit/sql/sql.ts'
import { newWork, step } from './payload.ts'
import type { Peer } from './peer.ts'
import { bytesIn } from './sizes.ts'

const begin = `
  with t as (
    insert into ai_engine.threads (thread_id, organization_id, run_id, status, head, next)
    values ($1, 'bench', $2::uuid, 'running', 1, 'work') returning *)
  insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, next, delta, snapshot)
  select thread_id, 1, $3::uuid, run_id, 'start', 'work', '[]', $4::text::jsonb from t`

const write = `
  with head as (
    update ai_engine.threads set head = $2::int + 1, updated_at = now(), lease_until = now() + interval '3 s'
    where thread_id = $1 and head = $2::int returning run_id),
  checkpoint as (
    insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, next, delta)
    select $1, $2::int + 1, $3::uuid, run_id, 'work', 'work', $4::text::jsonb from head),
  spans as (
    insert into ai_engine.spans (trace_id, span_id, step, name, kind, started_at, duration_ms, status, attributes)
    select run_id, $3::uuid, $2::int, 'work', 'node', now(), 1, 'ok', '{}' from head)
  select 1 from head`

/** Baseline: the minimal SQL statements of a step in a loop, without an engine and without resume. */
export async function bare(url: string): Promise<Peer> {
  const driver = postgresDriver(url, 10)
  await migrate(driver, 'ai-engine', 'ai_engine')
  return {
    name: 'bare SQL',
    async run(kind, steps, onStep) {
      const thread = newId()
      let state = newWork(kind)
      await driver.query(begin, [thread, newId(), newId(), JSON.stringify(state)])
      for (let n = 1; n <= steps; n++) {
        onStep?.()
        const name = `p${state.n % 40}`
        state = step(kind, state)
        const note = state.document[name]!.note
        const delta = [
          ['set', ['document', name, 'note'], note],
          ['add', ['messages'], [state.messages.at(-1)]],
          ['set', ['n'], state.n],
        ]
        await driver.query(write, [thread, n, newId(), JSON.stringify(delta)])
      }
    },
    bytes: () => bytesIn(makeSql(driver), 'ai_engine'),
    end: () => driver.end(),
  }
}
