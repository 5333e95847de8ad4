import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core'
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'

interface VirtualOptions {
  count: number
  /** Expected height of a row in pixels, until it is measured. */
  estimateHeight: number
  keyOf: (index: number) => string | number
}

/** Rows of a long list that are near the visible part. Rows are measured when they appear. */
export function useVirtual({ count, estimateHeight, keyOf }: VirtualOptions) {
  const scroller = useRef<HTMLDivElement>(null)
  const [, render] = useReducer((renders: number) => renders + 1, 0)
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimateHeight,
    getItemKey: keyOf,
    overscan: 6,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => render(undefined),
  }
  const virtualizer = useRef<Virtualizer<HTMLDivElement, HTMLElement> | undefined>(undefined)
  virtualizer.current ??= new Virtualizer(options)
  virtualizer.current.setOptions(options)
  useLayoutEffect(() => virtualizer.current!._didMount(), [])
  useLayoutEffect(() => virtualizer.current!._willUpdate())
  const { current } = virtualizer
  return {
    scroller,
    rows: current.getVirtualItems(),
    height: current.getTotalSize(),
    measure: current.measureElement,
  }
}
