import type { Catalogue, TextKey } from './catalogue.ts'

export type Language = 'zh' | 'en'

const loaders: Record<Language, () => Promise<{ default: Catalogue }>> = {
  en: () => import('./en.ts'),
  zh: () => import('./zh.ts'),
}

let current: { language: Language; catalogue: Catalogue } | undefined

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(loaders, value)

export async function loadCatalogue(language: Language) {
  current = { language, catalogue: (await loaders[language]()).default }
}

export const currentLanguage = (): Language => current?.language ?? 'en'

/** Text of the current language; `{name}` is replaced by `values.name`. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  const text = current?.catalogue[key] ?? key
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** Text whose key contains a value of the API, or the value itself if the catalogue lacks it. */
export function translate(prefix: string, value: string): string {
  return current?.catalogue[`${prefix}.${value}` as TextKey] ?? value
}

const locale = () => (currentLanguage() === 'zh' ? 'zh-CN' : 'en-GB')

export const formatDate = (time: string) =>
  new Date(time).toLocaleDateString(locale(), { year: 'numeric', month: 'short', day: 'numeric' })

/** Day and time in the time zone of the reader, with the year unless it is the current one. */
export function formatTime(time: string): string {
  const date = new Date(time)
  return date.toLocaleString(locale(), {
    ...(date.getFullYear() !== new Date().getFullYear() && { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
}

/** Reads a number as people type it: 50,000 or ５００００. NaN if it is none. */
export function parseNumber(text: string): number {
  const plain = text.normalize('NFKC').replaceAll(/[,\s]/g, '')
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : Number.NaN
}

export const formatNumber = (value: number) => value.toLocaleString(locale())

export const formatMoney = (value: number) =>
  value.toLocaleString(locale(), { style: 'currency', currency: 'CNY' })
