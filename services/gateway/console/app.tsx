import { useEffect, useRef, useState } from 'preact/hooks'
import { me } from './api/client.ts'
import { followTabs, loadMe } from './api/person.ts'
import { SignIn } from './pages/sign-in/sign-in.tsx'
import { navigate, usePlace } from './router.ts'
import { routes } from './routes.ts'
import { settings } from './settings.ts'
import { Shell } from './shell.tsx'
import { useStore } from './store.ts'
import { Loading, Problem } from './ui/state.tsx'

/** Shows the sign-in page or the shell with the current page. */
export function App() {
  const person = useStore(me)
  const { language } = useStore(settings)
  const { path } = usePlace()
  const [error, setError] = useState<unknown>()
  const load = () => {
    setError(undefined)
    loadMe().catch(setError)
  }
  useEffect(() => {
    load()
    return followTabs()
  }, [])
  const wasSignedOut = useRef(false)
  if (person === null) wasSignedOut.current = true
  const isStart = path === '/' || path === '/sign-in'
  useEffect(() => {
    if (person && isStart) navigate(routes[0]!.path, { replace: true })
  }, [person, isStart])

  if (person === undefined && error !== undefined) {
    return (
      <main class="sign-in">
        <Problem error={error} onRetry={load} />
      </main>
    )
  }
  if (person === undefined || (person && isStart)) return <Loading />
  // Another language or person renders everything again.
  return person ? (
    <Shell key={`${language} ${person.id}`} person={person} focusesHeading={wasSignedOut.current} />
  ) : (
    <SignIn key={language} />
  )
}
