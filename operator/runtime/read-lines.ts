/** Splits a byte stream into lines. A truncated last line is dropped. */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let partialLine: Uint8Array[] = []
  for await (const chunk of bytes) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      // Decodes complete lines, so that characters split over two chunks stay intact.
      yield Buffer.concat([...partialLine, chunk.subarray(from, end)]).toString('utf8')
      partialLine = []
      from = end + 1
    }
    if (from < chunk.length) partialLine.push(chunk.subarray(from))
  }
}
