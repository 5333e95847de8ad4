import type { ServiceContext } from '../../../_kit/context.ts'
import { invalid } from '../../../_kit/fault.ts'
import { errorFields } from '../../../_kit/log.ts'
import type { Deps } from '../../deps.ts'
import type { SearchInput } from './request.ts'

/** Returns the vector of a query, or the reason why there is none. */
export async function embedQuery(
  { embedder, kit }: Pick<ServiceContext<Deps>, 'embedder' | 'kit'>,
  { query, vector }: SearchInput,
) {
  if (vector) {
    rejectWrongDimensions(vector, embedder?.dims)
    return { vector, reason: null }
  }
  if (!embedder) return { vector: undefined, reason: 'embedding_not_configured' as const }
  try {
    return { vector: await embedder.embedQuery(query ?? ''), reason: null }
  } catch (thrown) {
    kit.metrics.count('embedding_failures_total', {})
    kit.log.warn(errorFields(thrown), 'query embedding failed, using keywords')
    return { vector: undefined, reason: 'embedding_unavailable' as const }
  }
}

function rejectWrongDimensions(vector: readonly number[], dims: number | undefined) {
  if (dims === undefined || vector.length === dims) return
  const message = `Must have ${dims} dimensions, has ${vector.length}.`
  throw invalid([{ path: 'vector', message }])
}
