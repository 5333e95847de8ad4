/**
 * A signal of the client and of a time limit. The limit ends when it is cleared, so that it does not cut a
 * stream; the client's signal stays.
 */
export function startDeadline(ms: number, client: AbortSignal) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error(`no response within ${ms} ms`)), ms)
  if (client.aborted) controller.abort(client.reason)
  else client.addEventListener('abort', () => controller.abort(client.reason), { once: true })
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}
