import type { ServiceContext } from '../../_kit/context.ts'
import type { Deps } from '../deps.ts'
import { subscribe } from './log/subscribe.ts'
import { claimAndRelay } from './run-turn.ts'

/** Subscribes to a turn. A turn whose relay has crashed is taken over after a silence. */
export const followTurn = (context: ServiceContext<Deps>, turn_id: string, after: number) =>
  subscribe(
    { ...context, onRemoteSilence: (turn_id) => claimAndRelay(context, turn_id) },
    turn_id,
    after,
  )
