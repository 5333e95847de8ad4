/** The headers of a forwarded response are immutable on some runtimes. */
export function withMutableHeaders(response: Response): Response {
  try {
    response.headers.delete('x-powered-by')
    return response
  } catch {
    return new Response(response.body, response)
  }
}
