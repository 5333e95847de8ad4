import * as z from 'zod'
import { ConfigError } from '../_kit/config.ts'
import type { OpenContext } from '../_kit/context.ts'
import { endpoints } from '../_kit/endpoint.ts'
import type { Client } from '../_kit/peer.ts'
import type { Complete } from './model/model.ts'
import { checkModel, openAiComplete } from './model/openai.ts'
import type { Limits } from './run/graph.ts'
import { type Hub, makeHub } from './run/hub.ts'
import type { Skill } from './skill.ts'
import { loadSkills } from './skills/registry.ts'

const positiveInt = (max: number, defaultValue: number) =>
  z.coerce.number().int().min(1).max(max).default(defaultValue)

export const Config = z.object({
  AI_BASE_URL: z
    .url()
    .optional()
    .describe('An OpenAI-compatible API; unset, the rules of the skills do the work.'),
  AI_API_KEY: z.string().optional().describe('Its key, where it wants one.'),
  AI_MODEL: z.string().optional().describe('The model to ask for; needed with AI_BASE_URL.'),
  AI_TIMEOUT_MS: positiveInt(600_000, 120_000).describe('How long one call of the model may take.'),
  SKILLS_DIR: z.string().optional().describe('A directory of further skills, one folder each.'),
  ENGINE_MAX_RUNS: positiveInt(1_000, 64).describe('Runs that one process drives at a time.'),
  ENGINE_MAX_STEPS: positiveInt(1_000, 60).describe('Steps that one run may take.'),
  ENGINE_RETRIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(2)
    .describe('How often a step that failed is tried again.'),
  ENGINE_STEP_TIMEOUT_MS: positiveInt(3_600_000, 180_000).describe('How long one step may take.'),
  ENGINE_RUN_TIMEOUT_MS: positiveInt(86_400_000, 900_000).describe('How long one run may take.'),
  CHECKPOINT_KEEP: positiveInt(1_000_000, 1_000).describe(
    'Checkpoints that are kept of a thread, the newest; further those that a branch or a card needs.',
  ),
})
export type Config = z.output<typeof Config>

export interface Deps {
  /** Loaded when the service starts; an invalid skill stops the start. */
  skills(): Promise<Skill[]>
  /** Null if no model is configured. */
  model: { name: string; complete: Complete; check(): Promise<void> } | null
  hub: Hub
  /** Runs that this process drives, by run id; aborting the controller ends the run. */
  activeRuns: Map<string, AbortController>
  limits: Limits
  maxRuns: number
  /** Whether queued runs may wait for a free slot. */
  runQueue: { waiting: boolean }
  checkpointKeep: number
  matter: Client
  memory: Client
  files: Client
  knowledge: Client
}

export function open(config: Config, { client, runtime }: OpenContext): Deps {
  let skills: Promise<Skill[]> | undefined
  return {
    skills() {
      skills ??= loadSkills({ runtime, skillsDir: config.SKILLS_DIR })
      return skills
    },
    model: openModel(config),
    hub: makeHub(),
    activeRuns: new Map(),
    limits: {
      steps: config.ENGINE_MAX_STEPS,
      retries: config.ENGINE_RETRIES,
      stepMs: config.ENGINE_STEP_TIMEOUT_MS,
      runMs: config.ENGINE_RUN_TIMEOUT_MS,
    },
    maxRuns: config.ENGINE_MAX_RUNS,
    runQueue: { waiting: false },
    checkpointKeep: config.CHECKPOINT_KEEP,
    matter: client('matter-service'),
    memory: client('memory-service'),
    files: client('files-service'),
    knowledge: client('knowledge-service'),
  }
}

function openModel({ AI_BASE_URL, AI_API_KEY, AI_MODEL, AI_TIMEOUT_MS }: Config): Deps['model'] {
  if (!AI_BASE_URL) return null
  if (!AI_MODEL) throw new ConfigError('AI_MODEL: needed with AI_BASE_URL.')
  const options = { baseUrl: AI_BASE_URL, apiKey: AI_API_KEY, model: AI_MODEL }
  return {
    name: AI_MODEL,
    complete: openAiComplete({ ...options, timeoutMs: AI_TIMEOUT_MS }),
    check: () => checkModel(options),
  }
}

export const { get, post } = endpoints<Deps>()
