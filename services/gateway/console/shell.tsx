import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Me } from './api/types.ts'
import { findRoute } from './find-route.ts'
import type { PageProps } from './page-props.ts'
import { usePlace } from './router.ts'
import { routes } from './routes.ts'
import { t } from './text/text.ts'
import { AccountMenu } from './ui/account-menu.tsx'
import { Icon } from './ui/icon.tsx'
import { NotFound } from './ui/not-found.tsx'
import { Loading, Problem } from './ui/state.tsx'

interface ShellProps {
  person: Me
  /** Whether the focus moves to the heading of the first page: after sign-in, not after a load. */
  focusesHeading: boolean
}

/** Navigation, account and the current page. */
export const Shell = ({ person, focusesHeading }: ShellProps) => (
  <div class="shell">
    <a class="skip" href="#main">
      {t('app.skip')}
    </a>
    <header class="bar">
      <a class="brand" href="/consultations">
        {t('app.name')}
      </a>
      <Navigation person={person} />
      <AccountMenu person={person} />
    </header>
    <main id="main" tabIndex={-1}>
      <CurrentPage person={person} focusesHeading={focusesHeading} />
    </main>
  </div>
)

function Navigation({ person }: { person: Me }) {
  const { path } = usePlace()
  return (
    <nav aria-label={t('app.navigation')}>
      {routes.map((route) => {
        if (!route.nav || route.allows?.(person) === false) return null
        const isCurrent = path === route.path || path.startsWith(`${route.path}/`)
        return (
          <a key={route.path} href={route.path} aria-current={isCurrent ? 'page' : undefined}>
            <Icon name={route.nav.icon} />
            <span>{t(route.nav.text)}</span>
          </a>
        )
      })}
    </nav>
  )
}

/** Loads the chunk of the page, and moves the focus to its heading after navigation. */
function CurrentPage({ person, focusesHeading }: ShellProps) {
  const { path } = usePlace()
  const found = findRoute(path)
  const allowed = found && found.route.allows?.(person) !== false
  const [loaded, setLoaded] = useState<{ load: unknown; Page: ComponentType<PageProps> }>()
  const [error, setError] = useState<unknown>()
  const isFirst = useRef(!focusesHeading)
  // Routes with the same page keep it, with its lists and their scroll positions.
  const load = allowed ? found.route.load : undefined

  useEffect(() => {
    setError(undefined)
    if (!load) return
    // A chunk may arrive after another page was opened.
    let isCurrent = true
    load().then(
      ({ default: Page }) => isCurrent && setLoaded({ load, Page }),
      (thrown) => isCurrent && setError(thrown),
    )
    return () => {
      isCurrent = false
    }
  }, [load])
  useEffect(() => {
    if (!isFirst.current) document.querySelector<HTMLElement>('main h1')?.focus()
    if (loaded) isFirst.current = false
  }, [path, loaded])

  if (!allowed) return <NotFound />
  if (error) return <Problem error={error} onRetry={() => location.reload()} />
  if (!loaded || loaded.load !== load) return <Loading />
  return <loaded.Page params={found.params} />
}
