/** One exchange with one server, at an address that was looked at before. */
export interface Transport {
  /** Every address of a name. */
  resolve(name: string): Promise<string[]>
  /** Connects to `address` and nowhere else, whatever the name of the URL's host means by now. */
  exchange(request: {
    url: URL
    address: string
    headers: Record<string, string>
    maxBytes: number
    signal: AbortSignal
  }): Promise<HttpResponse>
}

export interface HttpResponse {
  status: number
  headers: Headers
  body: Uint8Array<ArrayBuffer>
}
