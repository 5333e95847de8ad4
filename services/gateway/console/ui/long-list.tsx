import type { ComponentChildren, VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Pages } from '../api/use-pages.ts'
import { Loading, Problem } from './state.tsx'
import { useVirtual } from './use-virtual.ts'

interface LongListProps<T extends { id: string }> {
  label: string
  pages: Pages<T>
  estimateHeight: number
  empty: VNode
  children: (item: T) => ComponentChildren
}

/** A list that loads its next page when the end is near and keeps only visible rows in the document. */
export function LongList<T extends { id: string }>(props: LongListProps<T>) {
  const { label, pages, estimateHeight, empty, children } = props
  const { items, error, loading, hasMore, loadMore } = pages
  const { scroller, rows, height, measure } = useVirtual({
    count: items.length,
    estimateHeight,
    keyOf: (index) => items[index]!.id,
  })
  const lastVisible = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !loading && !error && lastVisible >= items.length - 10) loadMore()
  }, [hasMore, loading, error, lastVisible, items.length])

  if (items.length === 0 && !error) return loading ? <Loading /> : empty
  return (
    <div class="long-list" ref={scroller}>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers. */}
      <ul role="list" aria-label={label} style={{ height: `${height}px` }}>
        {rows.map(({ index, key, start }) => (
          <li
            key={key}
            ref={measure}
            data-index={index}
            aria-setsize={hasMore ? -1 : items.length}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(items[index]!)}
          </li>
        ))}
      </ul>
      {loading && <Loading />}
      {error !== undefined && <Problem error={error} onRetry={loadMore} />}
    </div>
  )
}
