import type { Card, ConsultationMessage, ConsultationSession } from '../../api/types.ts'
import type { Turn } from './turn.ts'

export interface ConsultationState {
  session: ConsultationSession | undefined
  messages: ConsultationMessage[]
  /** Message that was sent and is not stored yet. */
  unsent: string | null
  turn: Turn | null
  card: Card | null
  isConnectionLost: boolean
  /** Failure of the load, or of the last action. */
  error: unknown
  /** Error event of the last turn. */
  turnError: Turn['error']
}

export const initialState: ConsultationState = {
  session: undefined,
  messages: [],
  unsent: null,
  turn: null,
  card: null,
  isConnectionLost: false,
  error: undefined,
  turnError: null,
}
