/** Display width of a text in a terminal. East Asian characters are two columns wide. */
export const displayWidth = (text: string) =>
  [...text].reduce((sum, char) => sum + (wide.test(char) ? 2 : 1), 0)

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

const padTo = (text: string, width: number) =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)))

/** Formats rows under a header with aligned columns. */
export function table(header: string[], rows: string[][]): string {
  const widths = header.map((name, column) =>
    Math.max(displayWidth(name), ...rows.map((row) => displayWidth(row[column] ?? ''))),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => padTo(cell, widths[column]!))
      .join('  ')
      .trimEnd()
  return [line(header), ...rows.map(line)].join('\n')
}
