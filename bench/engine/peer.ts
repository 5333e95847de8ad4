import type { Kind } from './payload.ts'

/** An engine under measurement. A run begins on a thread of its own unless told otherwise. */
export interface Peer {
  name: string
  /** One run of so many steps; tells when each step begins. */
  run(kind: Kind, steps: number, onStep?: () => void): Promise<void>
  /** Milliseconds from the answer to a question until the next node begins; undefined where there is none. */
  resume?(kind: Kind): Promise<number>
  /** What its tables hold by now, indexes included. */
  bytes(): Promise<number>
  end(): Promise<void>
}
