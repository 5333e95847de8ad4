import * as z from 'zod'
import { ConfigError } from '../_kit/config.ts'
import type { OpenContext } from '../_kit/context.ts'
import { endpoints } from '../_kit/endpoint.ts'
import type { Client } from '../_kit/peer.ts'
import {
  type EngineModel,
  type ModelSettings,
  openModel,
  parseNames,
  parseSkillModels,
  providers,
} from './model/open-model.ts'
import type { Limits } from './run/graph.ts'
import { type Hub, makeHub } from './run/hub.ts'
import type { Skill } from './skill.ts'
import { loadSkills } from './skills/registry.ts'
import { type BudgetLimits, type Budgets, openBudgets } from './store/budget.ts'
import { commit } from './store/commit.ts'
import { type CommitStep, makeCommitGroup } from './store/commit-group.ts'
import type { RetentionDays } from './store/retention.ts'

const positiveInt = (max: number, defaultValue: number) =>
  z.coerce.number().int().min(1).max(max).default(defaultValue)

const retentionDays = (days: number) => positiveInt(36_500, days)
const budget = (subject: string) =>
  z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe(`Maximum number of tokens of ${subject}. Default: none.`)

export const Config = z.object({
  AI_BASE_URL: z
    .url()
    .optional()
    .describe('Base URL of the model API. Default: none; skills work by rules.'),
  AI_PROVIDER: z
    .enum(providers)
    .default('openai')
    .describe('Wire format of the model API. `openai` is for every compatible server.'),
  AI_API_VERSION: z.string().optional().describe('API version of Azure. Default: 2024-10-21.'),
  AI_API_KEY: z.string().optional().describe('API key of the model server. Default: none.'),
  AI_MODEL: z.string().optional().describe('Model name. Required with AI_BASE_URL.'),
  AI_SKILL_MODELS: z
    .string()
    .optional()
    .describe('Models of single skills: skill=model, separated by commas. Default: AI_MODEL.'),
  AI_VISION_MODELS: z
    .string()
    .optional()
    .describe('Models that accept images, separated by commas. Default: none.'),
  AI_FALLBACK_BASE_URL: z
    .url()
    .optional()
    .describe('Base URL of a model that is called when the first one fails. Default: none.'),
  AI_FALLBACK_PROVIDER: z
    .enum(providers)
    .default('openai')
    .describe('Wire format of the fallback.'),
  AI_FALLBACK_API_KEY: z.string().optional().describe('API key of the fallback. Default: none.'),
  AI_FALLBACK_MODEL: z
    .string()
    .optional()
    .describe('Model name of the fallback. Required with AI_FALLBACK_BASE_URL.'),
  AI_TIMEOUT_MS: positiveInt(600_000, 120_000).describe(
    'Time limit of a model call, in milliseconds.',
  ),
  AI_SILENCE_SECONDS: positiveInt(3_600, 30).describe(
    'Time without a byte after which a model call fails. Raise it for models that think in silence.',
  ),
  AI_CONTEXT_TOKENS: positiveInt(100_000_000, 64_000).describe(
    'Context window of the model. Older messages are left out to fit; facts stay.',
  ),
  AI_BUDGET_ORGANIZATION: budget('an organization per calendar month'),
  AI_BUDGET_USER: budget('a user per calendar month'),
  AI_BUDGET_MATTER: budget('a matter'),
  SKILLS_DIR: z
    .string()
    .optional()
    .describe('Directory of additional skills, one folder each. Default: none.'),
  ENGINE_MAX_RUNS: positiveInt(1_000, 64).describe(
    'Maximum number of concurrent runs per process. One in eight slots is reserved for recovery; further runs wait.',
  ),
  ENGINE_MAX_STEPS: positiveInt(1_000, 60).describe('Maximum number of steps of a run.'),
  ENGINE_RETRIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(2)
    .describe('Maximum number of retries of a step.'),
  ENGINE_STEP_TIMEOUT_MS: positiveInt(3_600_000, 180_000).describe(
    'Time limit of a step, in milliseconds.',
  ),
  ENGINE_RUN_TIMEOUT_MS: positiveInt(86_400_000, 900_000).describe(
    'Time limit of a run, in milliseconds.',
  ),
  CHECKPOINT_KEEP: positiveInt(1_000_000, 1_000).describe(
    'Number of checkpoints kept per thread, the newest. Checkpoints of branches and pending cards stay too.',
  ),
  RETENTION_DAYS_EVENTS: retentionDays(30).describe(
    'Days after which the events of a finished turn or run are deleted.',
  ),
  RETENTION_DAYS_SPANS: retentionDays(90).describe(
    'Days after which the spans of a finished run are deleted.',
  ),
  RETENTION_DAYS_CALLS: retentionDays(400).describe(
    'Days after which recorded calls of models and tools are deleted. The usage report covers the same time.',
  ),
  RETENTION_DAYS_RUNS: retentionDays(1_095).describe(
    'Days after which a finished run is deleted with all its data. Threads that run or wait on a card keep all runs.',
  ),
})
export type Config = z.output<typeof Config>

export interface Deps {
  /** Loaded when the service starts; an invalid skill stops the start. */
  skills(): Promise<Skill[]>
  /** Null if no model is configured. */
  model: EngineModel | null
  /** Null if no budget is configured. */
  budgets: Budgets | null
  budgetLimits: BudgetLimits
  hub: Hub
  commit: CommitStep
  /** Runs that this process drives, by run id; aborting the controller ends the run. */
  activeRuns: Map<string, AbortController>
  limits: Limits
  maxRuns: number
  /** Whether queued runs may wait for a free slot. */
  runQueue: { waiting: boolean }
  checkpointKeep: number
  retention: RetentionDays
  matter: Client
  memory: Client
  files: Client
  knowledge: Client
}

export function open(config: Config, { client, runtime }: OpenContext): Deps {
  let skills: Promise<Skill[]> | undefined
  const budgetLimits = {
    organization: config.AI_BUDGET_ORGANIZATION,
    user: config.AI_BUDGET_USER,
    matter: config.AI_BUDGET_MATTER,
  }
  return {
    skills() {
      skills ??= loadSkills({ runtime, skillsDir: config.SKILLS_DIR })
      return skills
    },
    model: configureModel(config),
    budgets: openBudgets(budgetLimits, config.ENGINE_STEP_TIMEOUT_MS),
    budgetLimits,
    hub: makeHub(),
    // On workerd a request must not wait for the queries of another.
    commit: runtime === 'workerd' ? commit : makeCommitGroup(),
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
    retention: {
      events: config.RETENTION_DAYS_EVENTS,
      spans: config.RETENTION_DAYS_SPANS,
      calls: config.RETENTION_DAYS_CALLS,
      runs: config.RETENTION_DAYS_RUNS,
    },
    matter: client('matter-service'),
    memory: client('memory-service'),
    files: client('files-service'),
    knowledge: client('knowledge-service'),
  }
}

function configureModel(config: Config): EngineModel | null {
  if (!config.AI_BASE_URL) return null
  if (!config.AI_MODEL) throw new ConfigError('AI_MODEL is required with AI_BASE_URL.')
  const limits = {
    timeoutMs: config.AI_TIMEOUT_MS,
    silenceMs: config.AI_SILENCE_SECONDS * 1_000,
    apiVersion: config.AI_API_VERSION,
  }
  return openModel({
    primary: {
      provider: config.AI_PROVIDER,
      baseUrl: config.AI_BASE_URL,
      apiKey: config.AI_API_KEY,
      model: config.AI_MODEL,
      ...limits,
    },
    fallback: readFallback(config, limits),
    skillModels: parseSkillModels(config.AI_SKILL_MODELS),
    contextTokens: config.AI_CONTEXT_TOKENS,
    visionModels: parseNames(config.AI_VISION_MODELS),
  })
}

function readFallback(config: Config, limits: Partial<ModelSettings>): ModelSettings | null {
  const { AI_FALLBACK_BASE_URL: baseUrl, AI_FALLBACK_MODEL: model } = config
  if (!baseUrl) return null
  if (!model) throw new ConfigError('AI_FALLBACK_MODEL is required with AI_FALLBACK_BASE_URL.')
  const { AI_FALLBACK_PROVIDER: provider, AI_FALLBACK_API_KEY: apiKey } = config
  return { provider, baseUrl, apiKey, model, ...limits }
}

export const { get, post } = endpoints<Deps>()
