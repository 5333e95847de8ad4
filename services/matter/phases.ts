import * as z from 'zod'
import { Time } from '../_kit/fields.ts'
import { fragment, json, type Sql } from '../_kit/sql/sql.ts'
import { Name, Timestamp, Title } from './fields.ts'

const PhaseStatus = z.enum(['PENDING', 'IN_PROGRESS', 'COMPLETED', 'SKIPPED'])

export const Phase = z
  .object({
    phase_id: z.string(),
    phase_name: z.string(),
    status: PhaseStatus,
    order_num: z.int(),
    started_at: Time.nullable(),
    completed_at: Time.nullable(),
  })
  .meta({ id: 'MatterPhaseProgress' })
export type Phase = z.infer<typeof Phase>

const columns = fragment`phase_id, phase_name, status, order_num, started_at, completed_at`

/** Patch of a phase. Omitted fields stay unchanged; the times follow from the status. */
export const PhasePatch = z.object({
  phase_id: Name,
  phase_name: Title.optional(),
  status: PhaseStatus.optional(),
  order_num: z.int().min(0).max(10_000).optional(),
  started_at: Timestamp.optional(),
  completed_at: Timestamp.optional(),
})
export type PhasePatch = z.output<typeof PhasePatch>

/** Applies a patch. A new phase without order_num gets `defaultOrder`. */
export function patchPhase(
  before: Phase | undefined,
  patch: PhasePatch,
  now: string,
  defaultOrder: number,
): Phase {
  const status = patch.status ?? before?.status ?? 'PENDING'
  const hasStarted = status === 'IN_PROGRESS' || status === 'COMPLETED'
  const startedAt = patch.started_at ?? (status === 'PENDING' ? null : (before?.started_at ?? null))
  const completedAt = patch.completed_at ?? before?.completed_at ?? now
  return {
    phase_id: patch.phase_id,
    phase_name: patch.phase_name ?? before?.phase_name ?? patch.phase_id,
    status,
    order_num: patch.order_num ?? before?.order_num ?? defaultOrder,
    started_at: startedAt ?? (hasStarted ? now : null),
    completed_at: status === 'COMPLETED' ? completedAt : null,
  }
}

export const loadPhases = (sql: Sql, matterId: string) => sql.rows(Phase)`
  select ${columns} from matter.phases where matter_id = ${matterId} order by order_num, phase_id`

export const savePhases = (sql: Sql, matterId: string, phases: Phase[]) => sql`
  insert into matter.phases (matter_id, ${columns})
  select ${matterId}::uuid, ${columns}
  from jsonb_to_recordset(${json(phases)})
    as input (phase_id text, phase_name text, status text, order_num int, started_at timestamptz,
      completed_at timestamptz)
  on conflict (matter_id, phase_id) do update
  set phase_name = excluded.phase_name, status = excluded.status, order_num = excluded.order_num,
    started_at = excluded.started_at, completed_at = excluded.completed_at`
