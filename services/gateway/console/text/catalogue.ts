import type en from './en.ts'

export type TextKey = keyof typeof en
/** Texts of one language. */
export type Catalogue = Record<TextKey, string>
