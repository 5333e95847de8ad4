import type { Kind } from './payload.ts'

/** An engine under measurement. Each run uses a new thread. */
export interface Peer {
  name: string
  /** Runs `steps` steps. Calls `onStep` at the start of each step. */
  run(kind: Kind, steps: number, onStep?: () => void): Promise<void>
  /** Milliseconds from a resume until the next node starts. Undefined if the engine cannot resume. */
  resume?(kind: Kind): Promise<number>
  /** Current size of its tables in bytes, including indexes. */
  bytes(): Promise<number>
  end(): Promise<void>
}
