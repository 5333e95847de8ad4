/** The lines of a stream of bytes. A line that was cut off at the end is not one. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let kept: Uint8Array[] = []
  for await (const chunk of bytes) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      // Decoded a whole line at a time, so a character that came in two chunks stays one.
      yield Buffer.concat([...kept, chunk.subarray(from, end)]).toString('utf8')
      kept = []
      from = end + 1
    }
    if (from < chunk.length) kept.push(chunk.subarray(from))
  }
}
