import * as z from 'zod'
import { pageSchema } from '../../_kit/page.ts'
import { defineTool } from '../tool.ts'
import { CauseProfile } from './cause-profile.ts'
import { clearCause, isConfident, rankCauses } from './rank-causes.ts'

const CausePage = pageSchema(CauseProfile)
/** Pages of 200 causes that are read at most. */
const maxPages = 10
const maxCandidates = 5

export const recognizeCause = defineTool({
  name: 'recognize_cause',
  description:
    'Which causes of action there are, and which of them a story is about, best first, with the passages that show it.',
  parameters: z.object({ text: z.string().max(40_000) }),
  async run({ knowledge, readerHeaders: headers }, { text }) {
    const profiles: CauseProfile[] = []
    for (let page = 1; page <= maxPages; page++) {
      const path = `/api/v1/knowledge/causes-of-action?size=200&page=${page}`
      const { items, total_pages } = await knowledge.request(CausePage, path, { headers })
      profiles.push(...items)
      if (page >= total_pages) break
    }
    const ranked = rankCauses(text, profiles)
    return {
      causes: profiles.map(({ code, name, name_en, matter_category }) => ({
        code,
        name,
        name_en: name_en ?? null,
        matter_category: matter_category ?? null,
      })),
      candidates: ranked.slice(0, maxCandidates),
      clear: clearCause(ranked) ?? null,
      confident: isConfident(ranked),
    }
  },
})
