import { strFromU8, unzipSync } from 'fflate'

export type Block =
  | { kind: 'paragraph'; text: string; isHeading: boolean }
  | { kind: 'table'; rows: string[][] }

/** Reads headings, paragraphs and tables of a Word document. Deleted text of tracked changes is left out. */
export function readDocx(bytes: Uint8Array): Block[] {
  const name = 'word/document.xml'
  const { [name]: xml } = unzipSync(bytes, { filter: (file) => file.name === name })
  if (!xml) throw new Error('The file is not a Word document.')
  const parsed = new DOMParser().parseFromString(strFromU8(xml), 'application/xml')
  const body = parsed.getElementsByTagName('w:body')[0]
  return [...(body?.children ?? [])].flatMap(readBlock)
}

function readBlock(element: Element): Block[] {
  if (element.nodeName === 'w:tbl') return [{ kind: 'table', rows: readRows(element) }]
  if (element.nodeName !== 'w:p') return []
  const style = element.getElementsByTagName('w:pStyle')[0]?.getAttribute('w:val') ?? ''
  return [{ kind: 'paragraph', text: readText(element), isHeading: /heading|title/i.test(style) }]
}

const readRows = (table: Element) =>
  [...table.getElementsByTagName('w:tr')].map((row) =>
    [...row.getElementsByTagName('w:tc')].map((cell) =>
      [...cell.getElementsByTagName('w:p')].map(readText).join('\n'),
    ),
  )

const readText = (paragraph: Element) =>
  [...paragraph.getElementsByTagName('*')]
    .map(({ nodeName, textContent }) => {
      if (nodeName === 'w:t') return textContent
      return nodeName === 'w:tab' || nodeName === 'w:br' ? ' ' : ''
    })
    .join('')
