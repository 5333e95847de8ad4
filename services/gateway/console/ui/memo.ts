import { type ComponentChildren, createElement, type FunctionComponent, type VNode } from 'preact'
import { useRef } from 'preact/hooks'

/** Renders a component again only if one of its properties changed. */
export function memo<Props extends object>(
  render: (props: Props) => ComponentChildren,
): FunctionComponent<Props> {
  const Inner = render as FunctionComponent<Props>
  return (props) => {
    const last = useRef<{ props: Props; output: VNode<Props> } | undefined>(undefined)
    const kept = last.current
    if (kept && isShallowEqual(kept.props, props)) return kept.output
    const output = createElement(Inner, props) as VNode<Props>
    last.current = { props, output }
    return output
  }
}

const isShallowEqual = (one: object, other: object) => {
  const entries = Object.entries(one)
  return (
    entries.length === Object.keys(other).length &&
    entries.every(([name, value]) => Object.is(value, other[name as keyof typeof other]))
  )
}
