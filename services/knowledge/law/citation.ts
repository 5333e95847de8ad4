import { arabic } from '../../_kit/tokenize.ts'

export interface Citation {
  law: string
  article: string
  /** Paragraph (款); null if the citation names none. */
  paragraph: number | null
  /** Item (项); null if the citation names none. */
  item: number | null
  /** Year of the edition that the citation names: 2017 for （2017年修正）. */
  editionYear: number | null
  /** Other readings of a name without quotation marks, longest first: it may contain words before it. */
  readings?: Reading[]
  start: number
  end: number
}

export interface Reading {
  law: string
  start: number
}

export function buildCitation(
  law: string,
  { article, paragraph, item }: Record<'article' | 'paragraph' | 'item', string | undefined>,
  start: number,
  end: number,
): Citation {
  const parseNumber = (text: string | undefined) => (text === undefined ? null : arabic(text))
  return {
    law,
    article: article!,
    paragraph: parseNumber(paragraph),
    item: parseNumber(item),
    editionYear: null,
    start,
    end,
  }
}
