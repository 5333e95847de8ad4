import type { ServiceName } from '../api/service-table.ts'
import type { SuiteInput } from './common.ts'
import { type PodPart, secretVariable, type Variable, variables } from './pod.ts'

const milliseconds = (seconds: number | undefined) => seconds && seconds * 1000

/** Passes each AI endpoint only to the services that call it, so that a new API key restarts only those. */
export const aiPart = (suite: SuiteInput, service: ServiceName): PodPart => ({
  env: [
    ...(service === 'ai-engine' ? model(suite) : []),
    ...(service === 'knowledge' ? embedding(suite) : []),
    ...(rerankClients.includes(service) ? rerank(suite) : []),
  ],
})

const rerankClients: readonly ServiceName[] = ['memory', 'knowledge']

function model({ spec: { ai } }: SuiteInput): Variable[] {
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

function embedding({ spec: { ai } }: SuiteInput): Variable[] {
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

function rerank({ spec: { ai } }: SuiteInput): Variable[] {
  if (!ai?.rerank) return []
  const { url, timeoutSeconds } = ai.rerank
  return variables({ RERANK_URL: url, RERANK_TIMEOUT_MS: milliseconds(timeoutSeconds) })
}
