import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { timestamp } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { createRun } from './run.ts'
import { nextDueMs } from './source.ts'

const DueSource = z.object({ id: z.string(), organization_id: z.string(), schedule: z.string() })

/** Starts due runs. The row lock on a source ensures that one process starts its run. */
export const startDueRuns = ({ sql }: ServiceContext<Deps>): Promise<number> =>
  sql.transaction(async (sql) => {
    const due = await sql.rows(DueSource)`
      select id, organization_id, schedule from collector.sources
      where next_run_at <= now() order by next_run_at limit 20 for update skip locked`
    for (const source of due) {
      // Skipped if the previous run is still active.
      await createRun(sql, source, 'schedule')
      const next = nextDueMs(source.schedule)
      await sql`
        update collector.sources
        set next_run_at = ${typeof next === 'number' ? timestamp(next) : null} where id = ${source.id}`
    }
    return due.length
  })
