import { useEffect, useRef } from 'preact/hooks'
import { usePlace } from '../router.ts'

interface Tab {
  path: string
  text: string
}

interface SectionTabsProps {
  label: string
  tabs: Tab[]
}

/** Links to the pages of a section. The longest path that leads to the current page is current. */
export function SectionTabs({ label, tabs }: SectionTabsProps) {
  const { path } = usePlace()
  const [current] = tabs
    .filter((tab) => path === tab.path || path.startsWith(`${tab.path}/`))
    .sort((one, other) => other.path.length - one.path.length)
  return <Tabs label={label} tabs={tabs} currentPath={current?.path} />
}

interface TabsProps extends SectionTabsProps {
  currentPath: string | undefined
}

/** Links in a row that scrolls on a narrow screen, so that the current one is visible. */
export function Tabs({ label, tabs, currentPath }: TabsProps) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    nav.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [currentPath])
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map((tab) => (
        <a
          key={tab.path}
          href={tab.path}
          aria-current={tab.path === currentPath ? 'page' : undefined}
        >
          {tab.text}
        </a>
      ))}
    </nav>
  )
}
