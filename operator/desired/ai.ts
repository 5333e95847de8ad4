import type { ServiceName } from '../api/service-spec.ts'
import type { Wanted } from './common.ts'
import { type Part, secretVariable, type Variable, variables } from './pod.ts'

const milliseconds = (seconds: number | undefined) => seconds && seconds * 1000

/** Each model is told to those who ask it, so that a new key rolls them alone. */
export const aiPart = (suite: Wanted, service: ServiceName): Part => ({
  env: [
    ...(service === 'ai-engine' ? model(suite) : []),
    ...(service === 'knowledge' ? embedding(suite) : []),
    ...(reranked.includes(service) ? rerank(suite) : []),
  ],
})

/** Those who ask the rerank service. */
const reranked: readonly ServiceName[] = ['memory', 'knowledge']

function model({ spec: { ai } }: Wanted): Variable[] {
  if (!ai?.model) return []
  const { baseUrl, model, timeoutSeconds, apiKeySecretRef } = ai.model
  return [
    ...variables({
      AI_BASE_URL: baseUrl,
      AI_MODEL: model,
      AI_TIMEOUT_MS: milliseconds(timeoutSeconds),
    }),
    ...secretVariable('AI_API_KEY', apiKeySecretRef),
  ]
}

function embedding({ spec: { ai } }: Wanted): Variable[] {
  if (!ai?.embedding) return []
  const { baseUrl, model, dimensions, queryPrefix, apiKeySecretRef } = ai.embedding
  return [
    ...variables({
      OPENAI_BASE_URL: baseUrl,
      KNOWLEDGE_EMBEDDING_MODEL: model,
      KNOWLEDGE_EMBEDDING_DIMS: dimensions,
      KNOWLEDGE_EMBEDDING_QUERY_PREFIX: queryPrefix,
    }),
    ...secretVariable('OPENAI_API_KEY', apiKeySecretRef),
  ]
}

function rerank({ spec: { ai } }: Wanted): Variable[] {
  if (!ai?.rerank) return []
  const { url, timeoutSeconds } = ai.rerank
  return variables({ RERANK_URL: url, RERANK_TIMEOUT_MS: milliseconds(timeoutSeconds) })
}
