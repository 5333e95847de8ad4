import { makeStore } from '../store.ts'
import type { Me } from './types.ts'

/** The signed-in person; null without a session, undefined until it is known. */
export const me = makeStore<Me | null | undefined>(undefined)

/** Failure of a request, as the envelope describes it. Code OFFLINE: there was no response. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly data: unknown
  readonly requestId: string | null

  constructor(status: number, code: string, message: string, data: unknown, id: string | null) {
    super(message)
    this.status = status
    this.code = code
    this.data = data
    this.requestId = id
  }

  /** Messages of invalid members by their path. */
  get issues(): { path: string; message: string }[] {
    return (this.data as { issues?: [] } | null)?.issues ?? []
  }
}

/** Failure of a request without a response, or with a part of one. */
export const offline = (cause: unknown) => new ApiError(0, 'OFFLINE', String(cause), null, null)

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Sends a request with the session cookie and returns the response; throws ApiError unless it is 2xx. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', body, headers = {}, signal } = options
  const csrf = me.get()?.csrf
  const isForm = body instanceof FormData
  const response = await fetch(path, {
    method,
    headers: {
      ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
      ...(csrf && method !== 'GET' && { 'X-CSRF-Token': csrf }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((thrown: unknown) => {
    if (signal?.aborted) throw thrown
    throw offline(thrown)
  })
  if (!response.ok) throw await readError(response)
  return response
}

async function readError(response: Response): Promise<ApiError> {
  const envelope = await response.json().catch(() => ({}))
  const { code = 'INTERNAL', message = response.statusText, data = null } = envelope
  checkSession(response.status)
  return new ApiError(response.status, code, message, data, response.headers.get('x-request-id'))
}

/** A session that has ended shows the sign-in page in place of the shell. */
export function checkSession(status: number) {
  if (status === 401 && me.get()) me.set(null)
}

/** Sends a request and opens the envelope of its response. */
export async function request<T>(path: string, options?: RequestOptions): Promise<T> {
  const response = await send(path, options)
  const { data } = await response.json().catch((thrown: unknown) => {
    if (options?.signal?.aborted) throw thrown
    throw offline(thrown)
  })
  return data
}

/** A page of a list. */
export interface Page<T> {
  items: T[]
  page: number
  size: number
  total: number
  total_pages: number
}

/** Appends query parameters; undefined and empty values are left out. */
export function withQuery(path: string, query: Record<string, string | number | undefined>) {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))
  return entries.length > 0 ? `${path}?${search}` : path
}
