/** The bytes from `start` to `end`, both counted in. */
export interface Range {
  start: number
  end: number
}

/** What an URL that leads to the storage itself is told of the file. */
export interface ResponseHeaders {
  contentType: string
  disposition: string
}

/** Where bytes are kept, by keys of ours: never by a name that came from outside. */
export interface Store {
  /** Keeps all of it under the key or nothing; says how much it was. A throw of `chunks` is passed on. */
  put(key: string, chunks: AsyncIterable<Uint8Array>): Promise<number>
  /** Null when there is nothing under the key. */
  get(key: string, range?: Range): Promise<ReadableStream<Uint8Array> | null>
  size(key: string): Promise<number | null>
  /** What is under `from` is under `to` as well, whatever becomes of `from`. False when it is not there. */
  copy(from: string, to: string): Promise<boolean>
  /** Takes away what is there, and what a write that never ended left; nothing there is fine. */
  remove(key: string): Promise<void>
  /** Whether it can be used, for health. */
  check(): Promise<unknown>
  /** URLs that lead to the storage itself, where it has such. */
  urls?: {
    get(key: string, seconds: number, headers: ResponseHeaders): Promise<string>
    put(
      key: string,
      seconds: number,
      declared: { size: number; sha256: string | undefined },
    ): Promise<PresignedPut>
  }
}

export interface PresignedPut {
  url: string
  headers: Record<string, string>
}
