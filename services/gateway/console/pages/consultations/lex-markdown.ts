import { lexer, type Token } from 'marked'

/**
 * Splits growing Markdown into blocks. Blocks before the last one are final: they keep their identity, and only the
 * text after them is read again when more text arrives.
 */
export function makeMarkdownLexer() {
  let final: Token[] = []
  let finalText = ''
  return (text: string): Token[] => {
    if (!text.startsWith(finalText)) {
      final = []
      finalText = ''
    }
    const tail = lexer(text.slice(finalText.length))
    const last = tail.findLastIndex(({ type }) => type !== 'space')
    const settled = tail.slice(0, Math.max(0, last))
    if (settled.length > 0) {
      final = [...final, ...settled]
      finalText += settled.map(({ raw }) => raw).join('')
    }
    return [...final, ...tail.slice(settled.length)]
  }
}
