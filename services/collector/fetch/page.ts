import { Parser } from 'htmlparser2'
import { FetchError } from '../../_kit/outbound/address.ts'

export interface Page {
  title: string
  text: string
  /** Link targets as written in the page. */
  links: string[]
}

/** Not `head`: its end tag is optional, and the parser does not infer it from the text that follows. */
const hiddenElements = new Set(
  'script style noscript template svg iframe object canvas select button'.split(' '),
)
/** Elements around the content of a page. */
const boilerplateElements = new Set(['nav', 'header', 'footer', 'aside', 'form'])
const main = new Set(['main', 'article'])
const blockElements = new Set(
  'address article aside blockquote br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
)
const maxLinks = 5_000
/** The parser's cost per element grows with its depth. */
const maxDepth = 1_000

/**
 * Extracts the text of a page, one line per block element: its main element if it has one, else everything
 * but boilerplate.
 */
export function parsePage(html: string): Page {
  const inside = { unseen: 0, around: 0, main: 0, title: 0 }
  const found = { title: '', main: '', body: '', all: '' }
  const links: string[] = []
  const write = (text: string) => {
    found.all += text
    if (inside.around === 0) found.body += text
    if (inside.main > 0 && inside.around === 0) found.main += text
  }
  const count = (name: string, attributes: Record<string, string>, by: 1 | -1) => {
    if (hiddenElements.has(name)) inside.unseen += by
    if (boilerplateElements.has(name)) inside.around += by
    if (main.has(name) || attributes.role === 'main') inside.main += by
    if (name === 'title') inside.title += by
  }
  const roles: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      const role = attributes.role === 'main' ? 'main' : ''
      if (roles.push(role) > maxDepth) throw new FetchError('The markup is nested too deeply.')
      count(name, { role }, 1)
      if (name === 'a' && attributes.href && links.length < maxLinks) links.push(attributes.href)
      if (blockElements.has(name)) write('\n')
    },
    ontext(text) {
      if (inside.title > 0) found.title += text
      else if (inside.unseen === 0) write(text.replace(/\s+/g, ' '))
    },
    onclosetag(name) {
      count(name, { role: roles.pop() ?? '' }, -1)
      if (blockElements.has(name)) write('\n')
    },
  })
  parser.end(html)
  const [content, body, all] = [found.main, found.body, found.all].map(normalizeLines)
  const text = content!.length >= 200 ? content! : body! || all!
  return { title: normalizeLines(found.title).replaceAll('\n', ' ').slice(0, 500), text, links }
}

const normalizeLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/[ \u00a0\u3000]+/g, ' ').trim())
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .replace(/\n{2,}/g, '\n')
    .trim()
