import { removePersonal } from '../storage.ts'
import { ApiError, me, request } from './client.ts'
import type { Me } from './types.ts'

/** Tabs share the session cookie: a tab that signs in or out changes the person of all. */
const channelName = 'console.person'

/** Loads who is signed in. Throws if that is not known, because the server did not respond. */
export async function loadMe() {
  try {
    me.set(await request<Me>('/auth/me'))
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 401) throw thrown
    me.set(null)
  }
}

/** Loads the person again when another tab signs in or out. Returns a function that ends this. */
export function followTabs(): () => void {
  const tabs = new BroadcastChannel(channelName)
  tabs.onmessage = () => void loadMe().catch(() => {})
  return () => tabs.close()
}

function announce() {
  const tabs = new BroadcastChannel(channelName)
  tabs.postMessage(null)
  tabs.close()
}

/** Signs in as a sample person. */
export async function signInLocally(person: string) {
  me.set(await request<Me>('/auth/local', { method: 'POST', body: { person } }))
  announce()
}

/** Ends the session. Returns the address where the provider ends its own session, if it has one. */
export async function signOut(): Promise<string | undefined> {
  const out = await request<{ end_session_url?: string }>('/auth/logout', { method: 'POST' }).catch(
    () => ({ end_session_url: undefined }),
  )
  removePersonal()
  me.set(null)
  announce()
  return out.end_session_url
}
