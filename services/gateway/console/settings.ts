import { readStored, writeStored } from './storage.ts'
import { makeStore } from './store.ts'
import { isLanguage, type Language, loadCatalogue } from './text/text.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

interface Settings {
  language: Language
  theme: Theme
}

const storageKey = 'console.settings'

/** Language and theme of this browser. */
export const settings = makeStore<Settings>(readSettings())

/** The stored settings. A value that is not known is replaced by the one that the browser prefers. */
function readSettings(): Settings {
  const { language, theme } = readStored<Partial<Settings>>(storageKey) ?? {}
  return {
    language: isLanguage(language) ? language : navigator.language.startsWith('zh') ? 'zh' : 'en',
    theme: themes.find((each) => each === theme) ?? 'system',
  }
}

/** Loads the catalogue of the language and marks the document with language and theme. */
export async function applySettings(changes: Partial<Settings> = {}) {
  const next = { ...settings.get(), ...changes }
  await loadCatalogue(next.language)
  const { documentElement } = document
  documentElement.lang = next.language === 'zh' ? 'zh-CN' : 'en'
  if (next.theme === 'system') delete documentElement.dataset.theme
  else documentElement.dataset.theme = next.theme
  if (Object.keys(changes).length > 0) writeStored(storageKey, next)
  settings.set(next)
}
