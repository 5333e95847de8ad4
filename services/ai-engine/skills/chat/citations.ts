const laws =
  /《[^《》]{2,40}》第[〇零一二三四五六七八九十百千\d]{1,10}条|《[^《》]{1,40}(?:法|典|条例|规定|解释|办法)》|\bArticles? \d+ of (?:the )?[A-Z]\w+(?: [A-Z]\w+){0,5}/gu

/** Laws that a text cites and the material does not hold. */
export const unverified = (text: string, material: string): string[] =>
  [...new Set(text.match(laws) ?? [])].filter((citation) => !material.includes(citation))
