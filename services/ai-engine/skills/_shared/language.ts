export type Language = 'zh' | 'en'

/** The language of a text, as far as letters tell it; undefined where there are none. */
export function languageOf(text: string): Language | undefined {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0
  const words = text.match(/\p{Script=Latin}+/gu)?.length ?? 0
  if (han + words === 0) return undefined
  // A Chinese sentence may hold foreign names, an English one at most a Chinese term.
  return han >= words ? 'zh' : 'en'
}

/** The language of the last text that has one. */
export const lastLanguage = (texts: string[]): Language | undefined =>
  texts.map(languageOf).findLast((language) => language !== undefined)

/** Words in both languages. */
export type Bilingual = Record<Language, string>
