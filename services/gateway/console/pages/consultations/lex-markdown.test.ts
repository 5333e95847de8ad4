import { lexer } from 'marked'
import { expect, test } from 'vitest'
import { makeMarkdownLexer } from './lex-markdown.ts'

const answer = `# Result

You can claim **100,000 yuan** and interest.

1. The IOU
2. The transfer

   with its receipt

| Item | Amount |
|---|---|
| Principal | 100,000 |

\`\`\`
code

still code
\`\`\`

> quote

The end.`

const rawBlocks = (tokens: { type: string; raw: string }[]) =>
  tokens.filter(({ type }) => type !== 'space').map(({ type, raw }) => [type, raw.trim()])

test('Markdown that arrives in pieces has the blocks of the whole text at its end', () => {
  for (const size of [1, 3, 7, 50]) {
    const lex = makeMarkdownLexer()
    for (let end = size; end < answer.length; end += size) lex(answer.slice(0, end))
    expect(rawBlocks(lex(answer)), `pieces of ${size}`).toEqual(rawBlocks(lexer(answer)))
  }
})

test('blocks before the last one keep their identity while text arrives', () => {
  const lex = makeMarkdownLexer()
  const before = lex('First.\n\nSecond.\n\nThird')
  const after = lex('First.\n\nSecond.\n\nThird part.')
  expect(after[0]).toBe(before[0])
  expect(after[2]).toBe(before[2])
})

test('another text starts again', () => {
  const lex = makeMarkdownLexer()
  lex('First.\n\nSecond.')
  expect(lex('Other.').map(({ raw }) => raw)).toEqual(['Other.'])
})
