import type { ComponentChildren, VNode } from 'preact'
import type { Pages } from '../api/use-pages.ts'
import { t } from '../text/text.ts'
import { Loading, Problem } from './state.tsx'

interface PagedListProps<T> {
  pages: Pages<T>
  empty: VNode
  children: (items: T[]) => ComponentChildren
}

/** The loaded entries of a list, its state, and a button for the next page. */
export function PagedList<T>({ pages, empty, children }: PagedListProps<T>) {
  const { items, loading, error, hasMore, loadMore, reload } = pages
  return (
    <>
      {items.length > 0 && children(items)}
      {items.length === 0 && !loading && error === undefined && empty}
      {items.length === 0 && loading && <Loading />}
      {error !== undefined && (
        <Problem error={error} onRetry={items.length === 0 ? reload : loadMore} />
      )}
      {items.length > 0 && hasMore && error === undefined && (
        <button type="button" disabled={loading} onClick={loadMore}>
          {t('state.more')}
        </button>
      )}
    </>
  )
}
