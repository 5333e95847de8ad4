export interface DiffLine {
  kind: 'same' | 'changed' | 'removed' | 'added'
  left: string
  right: string
}

/** Texts with more lines are compared line by line without alignment. */
const maxAlignedLines = 2_000

/** Compares two texts by their longest common sequence of lines. */
export function diffLines(left: string, right: string): DiffLine[] {
  const lefts = left === '' ? [] : left.split('\n')
  const rights = right === '' ? [] : right.split('\n')
  if (lefts.length + rights.length > maxAlignedLines) return pairLines(lefts, rights)
  const lengths = commonLengths(lefts, rights)
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < lefts.length || j < rights.length) {
    if (i < lefts.length && j < rights.length && lefts[i] === rights[j]) {
      lines.push({ kind: 'same', left: lefts[i++]!, right: rights[j++]! })
    } else if (
      j >= rights.length ||
      (i < lefts.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!)
    ) {
      lines.push({ kind: 'removed', left: lefts[i++]!, right: '' })
    } else {
      lines.push({ kind: 'added', left: '', right: rights[j++]! })
    }
  }
  return lines
}

/** `lengths[i][j]`: number of common lines of the texts from line i and line j on. */
function commonLengths(lefts: string[], rights: string[]): number[][] {
  const lengths = Array.from({ length: lefts.length + 1 }, () =>
    new Array<number>(rights.length + 1).fill(0),
  )
  for (let i = lefts.length - 1; i >= 0; i--) {
    for (let j = rights.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        lefts[i] === rights[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
    }
  }
  return lengths
}

const pairLines = (lefts: string[], rights: string[]): DiffLine[] =>
  Array.from({ length: Math.max(lefts.length, rights.length) }, (_, index) => {
    const left = lefts[index] ?? ''
    const right = rights[index] ?? ''
    return { kind: left === right ? 'same' : 'changed', left, right }
  })
