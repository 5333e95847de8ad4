import { me } from './api/client.ts'

/** Values of a browser that refuses or has filled its storage: they last as long as the page. */
const memory = new Map<string, string>()

/** Key of a value that belongs to the signed-in person: other people use the same browser. */
export const personalKey = (name: string) => `console.person.${me.get()?.id}.${name}`

/** Reads a stored value; undefined if there is none or it is not JSON. */
export function readStored<T>(key: string): T | undefined {
  try {
    const text = memory.get(key) ?? localStorage.getItem(key)
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

export function writeStored(key: string, value: unknown) {
  const text = JSON.stringify(value)
  try {
    localStorage.setItem(key, text)
    memory.delete(key)
  } catch {
    memory.set(key, text)
  }
}

export function removeStored(key: string) {
  memory.delete(key)
  try {
    localStorage.removeItem(key)
  } catch {
    // There is no storage to remove it from.
  }
}

/** Removes what people wrote and did not send. */
export function removePersonal() {
  const prefix = 'console.person.'
  const keys = [
    ...memory.keys(),
    ...Array.from({ length: localStorage.length }, (_, n) => localStorage.key(n)!),
  ]
  for (const key of keys) if (key.startsWith(prefix)) removeStored(key)
}
