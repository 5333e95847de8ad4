import { causeOfActionProfiles } from './cause-of-action-profiles.ts'
import type { Executor } from './executor.ts'
import { featureFlags } from './feature-flags.ts'
import { layWords } from './lay-words.ts'
import { structured } from './structured.ts'
import { systemConfigs } from './system-configs.ts'
import { systemKbDocuments } from './system-kb-documents.ts'
import { tags } from './tags.ts'

/** Executors by item kind. */
export const executors: ReadonlyMap<string, Executor> = new Map(
  [
    systemConfigs,
    featureFlags,
    tags,
    structured,
    systemKbDocuments,
    causeOfActionProfiles,
    layWords,
  ].map((executor) => [executor.kind, executor]),
)
