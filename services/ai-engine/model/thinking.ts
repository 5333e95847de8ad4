const opening = '<think>'
const closing = '</think>'

/**
 * Removes `<think>…</think>` at the start of a response: some reasoning models send their reasoning as text.
 * Buffers text only while it may be the start of a marker.
 */
export function makeThinkingFilter() {
  let state: 'start' | 'thinking' | 'gap' | 'text' = 'start'
  let held = ''

  function take(piece: string): string {
    if (state === 'text') return piece
    held += piece
    if (state === 'start') {
      const trimmed = held.trimStart()
      if (opening.startsWith(trimmed)) return ''
      if (!trimmed.startsWith(opening)) return release(held)
      state = 'thinking'
      held = trimmed.slice(opening.length)
    }
    if (state === 'thinking') {
      const end = held.indexOf(closing)
      // Only the last characters can be part of the closing marker.
      if (end < 0) held = held.slice(-closing.length)
      else {
        state = 'gap'
        held = held.slice(end + closing.length)
      }
    }
    // White space between the reasoning and the text is dropped.
    return state === 'gap' && held.trimStart() !== '' ? release(held.trimStart()) : ''
  }

  function release(text: string): string {
    state = 'text'
    held = ''
    return text
  }

  return {
    take,
    /** Returns the buffered text at the end of the response. Unfinished reasoning is dropped. */
    rest: () => (state === 'start' ? release(held) : ''),
  }
}
