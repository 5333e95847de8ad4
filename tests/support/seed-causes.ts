import type * as z from 'zod'
import { notFound } from '../../services/_kit/fault.ts'
import type { Client } from '../../services/_kit/peer.ts'
import type { Tool } from '../../services/ai-engine/skill.ts'
import { bindTools } from '../../services/ai-engine/tools.ts'
import { readDataFiles } from './seed-packages.ts'

const packageId = 'knowledge_structured_seeds'

export const seedProfiles = () =>
  readDataFiles(packageId, 'data/profiles').flatMap(({ records }) => records)

/** A knowledge-service that holds the causes of the seed packages. */
export function seedKnowledge(): Client {
  const profiles = seedProfiles()
  const elements = readDataFiles(packageId, 'data/litigation').flatMap(({ records }) => records)
  const respond = (path: string) => {
    const code = /causes-of-action\/([\w.:-]+)$/.exec(path)?.[1]
    if (code === undefined) {
      const size = { page: 1, size: 200, total: profiles.length, total_pages: 1 }
      return { items: profiles, next_cursor: null, ...size }
    }
    const profile = profiles.find((each) => each.code === code)
    if (!profile) throw notFound(`cause of action ${code}`)
    return { ...profile, elements: elements.filter((one) => one.cause_of_action_code === code) }
  }
  const request = async (schema: z.ZodType, path: string) => schema.parse(respond(path))
  return { request } as unknown as Client
}

/** Tools of the engine on that knowledge-service. */
export function seedCauseTools(): Record<string, Tool> {
  const unused = {} as Client
  const bound = bindTools(['recognize_cause', 'legal_elements'], {
    organization_id: 'o',
    user_id: 'u',
    matter_id: null,
    file_ids: [],
    today: '2026-06-15',
    memory: unused,
    files: unused,
    knowledge: seedKnowledge(),
  })
  return Object.fromEntries(Object.entries(bound).map(([name, { run }]) => [name, run]))
}
