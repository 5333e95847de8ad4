const quotedName = /《((?:[^《》]|《[^《》]*》)+)》/g

/** Returns the names of the laws that a text repeals: 《…》 in a sentence that says 废止. */
export function repealedNames(text: string): string[] {
  if (!text.includes('废止')) return []
  return text
    .split(/[。；\n]/)
    .filter((sentence) => sentence.includes('废止'))
    .flatMap((sentence) => Array.from(sentence.matchAll(quotedName), ([, name]) => name!))
}
