import { useEffect, useRef } from 'preact/hooks'
import { signOut } from '../api/person.ts'
import type { Me } from '../api/types.ts'
import { navigate } from '../router.ts'
import { t, translate } from '../text/text.ts'
import { Preferences } from './preferences.tsx'

/** Sample people are named `陈小雨 · Client`; the part after the dot repeats the user type. */
export const personName = (name: string) => name.split(' · ')[0]!

/** Who is signed in, language and theme, and the way out. */
export function AccountMenu({ person }: { person: Me }) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = (event: Event) => {
      const isInside = event.type === 'click' && menu.current?.contains(event.target as Node)
      const isOtherKey = event instanceof KeyboardEvent && event.key !== 'Escape'
      if (menu.current?.open && !isInside && !isOtherKey) {
        menu.current.open = false
        if (event.type === 'keydown') menu.current.querySelector('summary')?.focus()
      }
    }
    document.addEventListener('click', close)
    document.addEventListener('keydown', close)
    return () => {
      document.removeEventListener('click', close)
      document.removeEventListener('keydown', close)
    }
  }, [])
  return (
    <details class="account" ref={menu}>
      <summary>
        <span class="avatar" aria-hidden="true">
          {personName(person.name).slice(0, 1)}
        </span>
        <span class="account-name">{personName(person.name)}</span>
      </summary>
      <div class="menu">
        <p>
          <strong>{personName(person.name)}</strong>
          <br />
          <span class="faint">{translate('userType', person.user_type)}</span>
        </p>
        <Preferences />
        <p>
          <a href="/services">{t('app.apis')}</a>
        </p>
        <button type="button" onClick={leave}>
          {t('app.signOut')}
        </button>
      </div>
    </details>
  )
}

async function leave() {
  const address = await signOut()
  if (address) location.href = address
  else navigate('/sign-in', { replace: true })
}
