/** Single HTTP exchanges with an address that was checked before. */
export interface Transport {
  /** Resolves all addresses of a host name. */
  resolve(name: string): Promise<string[]>
  /** Connects to `address` without resolving the host name again. */
  exchange(request: {
    url: URL
    address: string
    /** Default: GET. */
    method?: 'GET' | 'POST'
    body?: string
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
