import { useState } from 'preact/hooks'
import { ApiError, request } from '../../api/client.ts'
import { signInLocally } from '../../api/person.ts'
import type { Me } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import { t, translate } from '../../text/text.ts'
import { personName } from '../../ui/account-menu.tsx'
import { usePageTitle } from '../../ui/page-title.ts'
import { Preferences } from '../../ui/preferences.tsx'
import { Loaded, Problem } from '../../ui/state.tsx'

interface Person {
  id: string
  name: string
  user_type: Me['user_type']
}

/** Sign-in: sample people where local sign-in is on, else the identity provider. */
export function SignIn() {
  usePageTitle(t('app.name'))
  const people = useLoad('people', loadPeople)
  const [error, setError] = useState<unknown>()
  async function signIn(person: string) {
    setError(undefined)
    try {
      await signInLocally(person)
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <main class="sign-in">
      <h1>{t('app.name')}</h1>
      <Loaded load={people}>
        {(list) => (list ? <SamplePeople people={list} onChoose={signIn} /> : <Provider />)}
      </Loaded>
      {error !== undefined && <Problem error={error} />}
      <Preferences />
    </main>
  )
}

/** Loads the sample people; null where people sign in at a provider. */
async function loadPeople(signal: AbortSignal): Promise<Person[] | null> {
  try {
    return await request<Person[]>('/auth/people', { signal })
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 404) return null
    throw thrown
  }
}

interface SamplePeopleProps {
  people: Person[]
  onChoose: (id: string) => void
}

const SamplePeople = ({ people, onChoose }: SamplePeopleProps) => (
  <section aria-labelledby="choose">
    <p id="choose">{t('signIn.choose')}</p>
    <ul class="people">
      {people.map(({ id, name, user_type }) => (
        <li key={id}>
          <button type="button" onClick={() => onChoose(id)}>
            <span class="avatar" aria-hidden="true">
              {personName(name).slice(0, 1)}
            </span>
            <span>
              <strong>{personName(name)}</strong>
              <span class="faint">{translate('userType', user_type)}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  </section>
)

function Provider() {
  const target = location.pathname === '/sign-in' ? '/' : location.pathname + location.search
  return (
    <section>
      <p>{t('signIn.provider.hint')}</p>
      <a class="button primary" href={`/auth/login?return_to=${encodeURIComponent(target)}`}>
        {t('signIn.provider')}
      </a>
    </section>
  )
}
