import { encodingOf } from '../sniff.ts'
import { UnreadableFile } from './limits.ts'

/** Bytes as text, in the encoding that they turn out to be in. */
export function decodeText(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes)
  if (!encoding) throw new UnreadableFile('The text is in no encoding that is known here.')
  return new TextDecoder(encoding).decode(bytes)
}

const han = /\p{Script=Han}/gu
const latin = /\p{Script=Latin}/gu

/** `zh` or `en` by the letters that prevail; a Chinese word has about as many as an English one has fifths. */
export function languageOf(text: string): 'zh' | 'en' | null {
  const sample = text.slice(0, 100_000)
  const chinese = sample.match(han)?.length ?? 0
  const english = sample.match(latin)?.length ?? 0
  if (chinese + english === 0) return null
  return chinese * 3 >= english ? 'zh' : 'en'
}

/** As the database can keep it: no NUL, no half of a surrogate pair, no more than there may be. */
export function truncateText(
  text: string,
  maxLength: number,
): { text: string; truncated: boolean } {
  const cut = text.replaceAll('\0', '').slice(0, maxLength).toWellFormed()
  return { text: cut, truncated: text.length > maxLength }
}
