/**
 * A signal of the client, if given, and of a time limit, until the response starts. Then both are cleared: the limit must not
 * cut a stream, and a client that leaves cancels the body, which ends the request to the service.
 */
export function startDeadline(ms: number, client: AbortSignal | null) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error(`no response within ${ms} ms`)), ms)
  const onLeave = () => controller.abort(client?.reason)
  if (client?.aborted) onLeave()
  else client?.addEventListener('abort', onLeave, { once: true })
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      client?.removeEventListener('abort', onLeave)
    },
  }
}
