const opening = '<think>'
const closing = '</think>'

/**
 * Removes `<think>…</think>` at the start of an answer: reasoning models without a channel of their own
 * send it as text. Holds text back only while it may be the start of a marker.
 */
export function makeThinkingFilter() {
  let state: 'start' | 'thinking' | 'gap' | 'text' = 'start'
  let held = ''

  function take(piece: string): string {
    if (state === 'text') return piece
    held += piece
    if (state === 'start') {
      const begun = held.trimStart()
      if (opening.startsWith(begun)) return ''
      if (!begun.startsWith(opening)) return release(held)
      state = 'thinking'
      held = begun.slice(opening.length)
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
    // White space between the thinking and the text is dropped.
    return state === 'gap' && held.trimStart() !== '' ? release(held.trimStart()) : ''
  }

  function release(text: string): string {
    state = 'text'
    held = ''
    return text
  }

  return {
    take,
    /** Text that was held back when the answer ended. Unfinished thinking is dropped. */
    rest: () => (state === 'start' ? release(held) : ''),
  }
}
