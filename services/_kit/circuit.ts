/** A circuit breaker: opens for a while after several consecutive failures. */
export interface Circuit {
  open(): boolean
  recordSuccess(): void
  recordFailure(): void
}

export function makeCircuit(failures = 5, pauseMs = 5_000, now: () => number = Date.now): Circuit {
  let consecutiveFailures = 0
  let openUntil = 0
  return {
    open: () => now() < openUntil,
    recordSuccess() {
      consecutiveFailures = 0
    },
    recordFailure() {
      // The count is kept while open, so one failed trial request opens the circuit again.
      if (++consecutiveFailures >= failures) openUntil = now() + pauseMs
    },
  }
}
