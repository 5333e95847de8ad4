import type { ModelRequest } from './model.ts'
import { type Features, jsonModes } from './wire.ts'

/**
 * Returns the features to use after a refusal, without the feature that its text names. Undefined if the text
 * names no feature that the request uses.
 */
export function learnFeatures(
  features: Features,
  refusal: string | undefined,
  request: ModelRequest,
): Features | undefined {
  if (!refusal) return undefined
  const names = (pattern: RegExp) => pattern.test(refusal)
  if (names(/max_completion_tokens/i) && features.maxTokens === 'max_tokens')
    return { ...features, maxTokens: 'max_completion_tokens' }
  if (names(/temperature/i) && features.temperature && request.temperature !== undefined)
    return { ...features, temperature: false }
  if (names(/stream_options/i) && features.streamOptions)
    return { ...features, streamOptions: false }
  if (names(/image/i) && features.images && request.messages.some(({ images }) => images))
    return { ...features, images: false }
  if (names(/response_?format|json_?schema|responseMimeType|responseJsonSchema|json_object/i)) {
    const json = jsonModes[jsonModes.indexOf(features.json) + 1]
    return request.schema && json ? { ...features, json } : undefined
  }
  return undefined
}
