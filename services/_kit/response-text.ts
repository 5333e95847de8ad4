const text = Symbol('text')

type TextResponse = Response & { [text]?: string }

/** Keeps the body of a response as text, so that a host can send it without reading a stream. */
export function withText(response: Response, body: string): Response {
  ;(response as TextResponse)[text] = body
  return response
}

/** The text of a response that `withText` returned and that nobody copied. */
export const knownText = (response: Response): string | undefined =>
  (response as TextResponse)[text]
