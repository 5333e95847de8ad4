import { useEffect, useRef } from 'preact/hooks'
import { ApiError, me, request } from './api/client.ts'
import type { Me } from './api/types.ts'
import { SignIn } from './pages/sign-in/sign-in.tsx'
import { navigate, usePlace } from './router.ts'
import { routes } from './routes.ts'
import { settings } from './settings.ts'
import { Shell } from './shell.tsx'
import { useStore } from './store.ts'
import { Loading } from './ui/state.tsx'

/** Shows the sign-in page or the shell with the current page. */
export function App() {
  const person = useStore(me)
  const { language } = useStore(settings)
  const { path } = usePlace()
  useEffect(() => {
    loadMe()
  }, [])
  const wasSignedOut = useRef(false)
  if (person === null) wasSignedOut.current = true
  const isStart = path === '/' || path === '/sign-in'
  useEffect(() => {
    if (person && isStart) navigate(routes[0]!.path, { replace: true })
  }, [person, isStart])

  if (person === undefined || (person && isStart)) return <Loading />
  // A new language renders everything again.
  return person ? (
    <Shell key={language} person={person} focusesHeading={wasSignedOut.current} />
  ) : (
    <SignIn key={language} />
  )
}

async function loadMe() {
  try {
    me.set(await request<Me>('/auth/me'))
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown
    me.set(null)
  }
}
