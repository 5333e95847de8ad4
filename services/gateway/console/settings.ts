import { makeStore } from './store.ts'
import { type Language, loadCatalogue } from './text/text.ts'

export type Theme = 'system' | 'light' | 'dark'

interface Settings {
  language: Language
  theme: Theme
}

const storageKey = 'console.settings'

/** Language and theme of this browser. */
export const settings = makeStore<Settings>(readSettings())

function readSettings(): Settings {
  const stored: Partial<Settings> = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
  const language = navigator.language.startsWith('zh') ? 'zh' : 'en'
  return { language, theme: 'system', ...stored }
}

/** Loads the catalogue of the language and marks the document with language and theme. */
export async function applySettings(changes: Partial<Settings> = {}) {
  const next = { ...settings.get(), ...changes }
  await loadCatalogue(next.language)
  const { documentElement } = document
  documentElement.lang = next.language === 'zh' ? 'zh-CN' : 'en'
  if (next.theme === 'system') delete documentElement.dataset.theme
  else documentElement.dataset.theme = next.theme
  if (Object.keys(changes).length > 0) localStorage.setItem(storageKey, JSON.stringify(next))
  settings.set(next)
}
