import { detectEncoding } from '../sniff.ts'
import { UnreadableFile } from './limits.ts'

/** Decodes text in its detected encoding. */
export function decodeText(bytes: Uint8Array): string {
  const encoding = detectEncoding(bytes)
  if (!encoding) throw new UnreadableFile('The encoding of the text is unknown.')
  return new TextDecoder(encoding).decode(bytes)
}

const han = /\p{Script=Han}/gu
const latin = /\p{Script=Latin}/gu

/**
 * Dominant language by script. A Chinese character counts as three Latin letters, because words have fewer
 * characters.
 */
export function detectLanguage(text: string): 'zh' | 'en' | null {
  const sample = text.slice(0, 100_000)
  const chinese = sample.match(han)?.length ?? 0
  const english = sample.match(latin)?.length ?? 0
  if (chinese + english === 0) return null
  return chinese * 3 >= english ? 'zh' : 'en'
}

/** Truncates text and removes what PostgreSQL cannot store: NUL and lone surrogates. */
export function truncateText(
  text: string,
  maxLength: number,
): { text: string; truncated: boolean } {
  const cut = text.replaceAll('\0', '').slice(0, maxLength).toWellFormed()
  return { text: cut, truncated: text.length > maxLength }
}
