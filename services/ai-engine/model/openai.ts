import { type ModelEndpoint, makeComplete } from './complete.ts'
import type { Complete } from './model.ts'
import { openAiWire } from './wire-openai.ts'

/** Calls a model through an OpenAI-compatible API. */
export const openAiComplete = (options: ModelEndpoint): Complete =>
  makeComplete(openAiWire, options)
