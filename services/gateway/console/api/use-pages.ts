import { useEffect, useRef, useState } from 'preact/hooks'
import { type Page, request, withQuery } from './client.ts'

/** A list that is loaded page by page. */
export interface Pages<T> {
  items: T[]
  loading: boolean
  error: unknown
  hasMore: boolean
  loadMore(): void
  /** Loads the list again from its first page. The entries stay until the response arrives. */
  reload(): void
}

interface PagesState<T> {
  items: T[]
  cursor: string | null | undefined
  loading: boolean
  error: unknown
}

const pageSize = 50

/** Loads the pages of a list. Another path or query starts again. */
export function usePages<T>(path: string, query: Record<string, string | undefined>): Pages<T> {
  const [state, setState] = useState<PagesState<T>>(firstState)
  const running = useRef<AbortController | undefined>(undefined)
  const target = withQuery(path, { ...query, size: pageSize })

  async function load(before: PagesState<T>, { keepsItems = false } = {}) {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState((shown) => ({ ...(keepsItems ? shown : before), loading: true, error: undefined }))
    try {
      const url = before.cursor ? `${target}&cursor=${encodeURIComponent(before.cursor)}` : target
      const { items, next_cursor } = await request<Page<T> & { next_cursor: string | null }>(url, {
        signal: controller.signal,
      })
      const all = [...before.items, ...items]
      setState({ items: all, cursor: next_cursor, loading: false, error: undefined })
    } catch (error) {
      if (controller.signal.aborted) return
      setState((shown) => ({ ...shown, loading: false, error }))
    }
  }

  useEffect(() => {
    load(firstState())
    return () => running.current?.abort()
  }, [target])

  const { items, cursor, loading, error } = state
  return {
    items,
    loading,
    error,
    hasMore: cursor !== null,
    loadMore: () => load(state),
    reload: () => load(firstState(), { keepsItems: true }),
  }
}

const firstState = (): PagesState<never> => ({
  items: [],
  cursor: undefined,
  loading: true,
  error: undefined,
})
