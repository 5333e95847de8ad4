import type { Token, Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { memo } from '../../ui/memo.ts'
import { makeMarkdownLexer } from './lex-markdown.ts'

/** Renders plain text; used to turn citations into buttons. */
export type RenderText = (text: string) => ComponentChildren

interface MarkdownProps {
  text: string
  renderText?: RenderText
}

const plain: RenderText = (text) => text
/** In a longer text the browser lays out only the blocks near the visible part. */
const maxLaidOutBlocks = 40

/** Renders Markdown as elements. HTML in the text is shown as text. Only the last block renders while text grows. */
export function Markdown({ text, renderText = plain }: MarkdownProps) {
  const lex = useRef<ReturnType<typeof makeMarkdownLexer> | undefined>(undefined)
  lex.current ??= makeMarkdownLexer()
  const blocks = lex.current(text)
  return (
    <div class={blocks.length > maxLaidOutBlocks ? 'markdown long' : 'markdown'}>
      {blocks.map((token, index) => (
        <Block key={index} token={token} renderText={renderText} />
      ))}
    </div>
  )
}

interface BlockProps {
  token: Token
  renderText: RenderText
}

const Block = memo(({ token, renderText }: BlockProps) => renderToken(token, renderText))

function renderToken(token: Token, text: RenderText): ComponentChildren {
  const children = () => (token as Tokens.Generic).tokens?.map((each) => renderToken(each, text))
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return <p class={`heading level-${token.depth}`}>{children()}</p>
    case 'paragraph':
      return <p>{children()}</p>
    case 'list':
      return renderList(token as Tokens.List, text)
    case 'blockquote':
      return <blockquote>{children()}</blockquote>
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      )
    case 'table':
      return renderTable(token as Tokens.Table, text)
    case 'hr':
      return <hr />
    case 'strong':
      return <strong>{children()}</strong>
    case 'em':
      return <em>{children()}</em>
    case 'del':
      return <del>{children()}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return renderLink(token as Tokens.Link, children())
    case 'text':
      return children() ?? text(decodeEntities(token.text))
    case 'escape':
      return token.text
    case 'html':
      return /^<br ?\/?>$/i.test(token.raw) ? <br /> : text(token.raw)
    default:
      return text(token.raw)
  }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' }

/** The lexer leaves entities as they were written. The result is a text node, whatever it contains. */
const decodeEntities = (text: string) =>
  text.replaceAll(/&(?:#(\d{1,7})|(\w+));/g, (whole, code: string | undefined, name: string) => {
    if (code === undefined) return entities[name] ?? whole
    return Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : whole
  })

const renderList = ({ ordered, start, items }: Tokens.List, text: RenderText) => {
  const rows = items.map((item, index) => (
    <li key={index}>{item.tokens.map((each) => renderToken(each, text))}</li>
  ))
  return ordered ? <ol start={Number(start) || 1}>{rows}</ol> : <ul>{rows}</ul>
}

const renderCells = (cells: Tokens.TableCell[], text: RenderText) =>
  cells.map(({ tokens }) => tokens.map((each) => renderToken(each, text)))

const renderTable = ({ header, rows }: Tokens.Table, text: RenderText) => (
  <div class="table-scroll">
    <table>
      <thead>
        <tr>
          {renderCells(header, text).map((cell, index) => (
            <th key={index}>{cell}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {renderCells(row, text).map((cell, index) => (
              <td key={index}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Links to other sites open without access to this page. Other schemes than http are shown as text. */
const renderLink = ({ href, raw }: Tokens.Link, children: ComponentChildren) =>
  /^https?:\/\//.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    raw
  )
