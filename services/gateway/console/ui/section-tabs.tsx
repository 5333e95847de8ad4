import { useEffect, useRef } from 'preact/hooks'
import { usePlace } from '../router.ts'

interface SectionTabsProps {
  label: string
  tabs: { path: string; text: string }[]
}

/** Links to the pages of a section. The longest path that leads to the current page is current. */
export function SectionTabs({ label, tabs }: SectionTabsProps) {
  const { path } = usePlace()
  const [current] = tabs
    .filter((tab) => path === tab.path || path.startsWith(`${tab.path}/`))
    .sort((one, other) => other.path.length - one.path.length)
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    nav.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map((tab) => (
        <a key={tab.path} href={tab.path} aria-current={tab === current ? 'page' : undefined}>
          {tab.text}
        </a>
      ))}
    </nav>
  )
}
