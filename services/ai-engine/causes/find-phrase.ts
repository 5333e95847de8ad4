/** Maximum number of characters that `…` in a phrase stands for. */
const maxGap = { han: 8, latin: 30 }

/**
 * Finds a phrase in a lower-case text and returns the passage. `…` stands for a few characters of the
 * same clause. Latin phrases match whole words; a final `*` matches any ending.
 */
export function findPhrase(text: string, phrase: string): string | undefined {
  const latin = /^[\p{Script=Latin}\d'\s…*+-]+$/u.test(phrase)
  const gap = `[^，。！？；,.!?;\\n]{0,${latin ? maxGap.latin : maxGap.han}}?`
  const body = phrase
    .toLowerCase()
    .replace(/\*$/, '')
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join(gap)
  const ending = phrase.endsWith('*') ? '' : '(?![\\p{L}\\d])'
  return new RegExp(latin ? `(?<![\\p{L}\\d])${body}${ending}` : body, 'u').exec(text)?.[0]
}

/** Share of the character pairs of a Han phrase that occur in the text. */
export function pairShare(text: string, phrase: string): number {
  if (!/^\p{Script=Han}{3,}$/u.test(phrase)) return 0
  const pairs = [...phrase].slice(1).map((character, index) => phrase[index]! + character)
  return pairs.filter((pair) => text.includes(pair)).length / pairs.length
}
