/** A circuit to something that may be dead: after some failures in a row it stays open for a while. */
export interface Circuit {
  open(): boolean
  succeeded(): void
  failed(): void
}

export function makeCircuit(failures = 5, pauseMs = 5_000, now: () => number = Date.now): Circuit {
  let inARow = 0
  let openUntil = 0
  return {
    open: () => now() < openUntil,
    succeeded() {
      inARow = 0
    },
    failed() {
      // While it was open one request tried again; if that fails too, it opens at once.
      if (++inARow >= failures) openUntil = now() + pauseMs
    },
  }
}
