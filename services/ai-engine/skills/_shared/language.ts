export type Language = 'zh' | 'en'

/** Detects the language by script; undefined without letters. */
export function detectLanguage(text: string): Language | undefined {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0
  const words = text.match(/\p{Script=Latin}+/gu)?.length ?? 0
  if (han + words === 0) return undefined
  // Chinese text may contain many foreign names, English text few Chinese terms.
  return han >= words ? 'zh' : 'en'
}

/** Language of the last text with letters. */
export const lastLanguage = (texts: string[]): Language | undefined =>
  texts.map(detectLanguage).findLast((language) => language !== undefined)

/** A text in both languages. */
export type Bilingual = Record<Language, string>
