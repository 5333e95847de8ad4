import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError } from './client.ts'

/** State of a load: data of the last success, error of the last attempt. */
export interface Load<T> {
  data: T | undefined
  error: ApiError | undefined
  loading: boolean
  /** Loads again and keeps the data until the response arrives. */
  reload(): void
  /** Replaces the data, after a write that returned the new state. */
  replace(data: T): void
}

/** Loads data when the component appears and when `key` changes. A later load cancels an earlier one. */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Load<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: ApiError; loading: boolean }>(
    {
      key,
      loading: true,
    },
  )
  const running = useRef<AbortController | undefined>(undefined)
  const latest = useRef(load)
  latest.current = load

  const start = useCallback(() => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState((before) => ({
      ...(before.key === key && before.data !== undefined && { data: before.data }),
      key,
      loading: true,
    }))
    latest.current(controller.signal).then(
      (data) => !controller.signal.aborted && setState({ key, data, loading: false }),
      (error: ApiError) =>
        !controller.signal.aborted &&
        setState((before) => ({
          ...(before.data !== undefined && { data: before.data }),
          key,
          error,
          loading: false,
        })),
    )
  }, [key])

  useEffect(() => {
    start()
    return () => running.current?.abort()
  }, [start])

  const isCurrent = state.key === key
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    loading: isCurrent ? state.loading : true,
    reload: start,
    replace: (data) => setState({ key, data, loading: false }),
  }
}
