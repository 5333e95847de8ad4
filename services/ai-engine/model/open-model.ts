import { ConfigError } from '../../_kit/config.ts'
import { checkModel, type ModelEndpoint, makeComplete } from './complete.ts'
import { withoutImages } from './images.ts'
import type { Complete } from './model.ts'
import { ModelError } from './model-error.ts'
import { trimToContext } from './trim-to-context.ts'
import type { Wire } from './wire.ts'
import { anthropicWire } from './wire-anthropic.ts'
import { googleWire } from './wire-google.ts'
import { azureWire, openAiWire } from './wire-openai.ts'

export const providers = ['openai', 'azure', 'anthropic', 'google'] as const
export type Provider = (typeof providers)[number]

const wires: Record<Provider, Wire> = {
  openai: openAiWire,
  azure: azureWire,
  anthropic: anthropicWire,
  google: googleWire,
}

/** Models of the engine. */
export interface EngineModel {
  /** Name of the model that a skill uses. */
  nameFor(skill: string): string
  /** True if the model of a skill, or the fallback model, accepts images. */
  acceptsImages(skill: string): boolean
  /** Calls the model of a skill, else the fallback model. */
  completeFor(skill: string): Complete
  /** Throws if the model does not respond; the message says whether the fallback does. */
  check(): Promise<void>
}

export interface ModelSettings extends ModelEndpoint {
  provider: Provider
}

export interface OpenModelOptions {
  primary: ModelSettings
  fallback: ModelSettings | null
  /** Model by skill, on the primary server. */
  skillModels: Record<string, string>
  /** Size of the context window. */
  contextTokens: number
  /** Names of the models that accept images. */
  visionModels?: string[]
}

export function openModel(options: OpenModelOptions): EngineModel {
  const { primary, fallback, skillModels, contextTokens, visionModels = [] } = options
  const byName = new Map<string, Complete>()
  const nameFor = (skill: string) => skillModels[skill] ?? primary.model
  const callFallback = fallback && makeComplete(wires[fallback.provider], fallback)

  function completeFor(skill: string): Complete {
    const model = nameFor(skill)
    const call = byName.get(model) ?? makeComplete(wires[primary.provider], { ...primary, model })
    byName.set(model, call)
    return callFallback
      ? withFallback(fitting(call, model), fitting(callFallback, fallback.model))
      : fitting(call, model)
  }

  /** Sends a model only what it accepts: no more than its context window, and images if it is a vision model. */
  const fitting =
    (call: Complete, model: string): Complete =>
    (request, callbacks) => {
      const accepted = visionModels.includes(model) ? request : withoutImages(request)
      return call(trimToContext(accepted, contextTokens), callbacks)
    }

  const acceptsImages = (skill: string) =>
    [nameFor(skill), fallback?.model].some((name) => name && visionModels.includes(name))

  async function check() {
    try {
      await checkModel(wires[primary.provider], primary)
    } catch (thrown) {
      if (!fallback) throw thrown
      await checkModel(wires[fallback.provider], fallback)
      throw new ModelError('The model does not respond; calls use the fallback model.', true)
    }
  }

  return { nameFor, acceptsImages, completeFor, check }
}

/** Calls the fallback model if the first one fails. Text of the first one is discarded. */
const withFallback =
  (first: Complete, second: Complete): Complete =>
  async (request, callbacks) => {
    let emitted = false
    const onText = (text: string) => {
      emitted = true
      callbacks.onText?.(text)
    }
    try {
      return await first(request, { ...callbacks, onText })
    } catch (thrown) {
      callbacks.signal.throwIfAborted()
      if (!(thrown instanceof ModelError)) throw thrown
      if (emitted) callbacks.onRestart?.()
      return await second(request, callbacks)
    }
  }

/** Parses names separated by commas. */
export const parseNames = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Parses `skill=model` pairs, separated by commas. */
export function parseSkillModels(text: string | undefined): Record<string, string> {
  return Object.fromEntries(
    parseNames(text).map((pair) => {
      const [skill = '', model = ''] = pair.split('=').map((part) => part.trim())
      if (skill === '' || model === '')
        throw new ConfigError(`AI_SKILL_MODELS: "${pair}" is not skill=model.`)
      return [skill, model]
    }),
  )
}
