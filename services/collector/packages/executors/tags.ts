import * as z from 'zod'
import { type Executor, Paths, recordWithKey } from './executor.ts'

const members = ['tag_groups', 'tags', 'categories', 'domains'] as const
const List = z.array(recordWithKey('key')).default([])
const File = z.object({ tag_groups: List, tags: List, categories: List, domains: List })

/**
 * Tags, tag groups, categories and domains. A tag refers to its group and a category to its parent by key.
 */
export const tags: Executor = {
  kind: 'platform.seed.tags.upsert',
  service: 'platform',
  path: '/api/v1/internal/platform/tags/batch',
  Config: z.object({ tags_json: Paths }),
  files: { tags_json: z.preprocess((file) => (Array.isArray(file) ? { tags: file } : file), File) },
  requests: (_, data) => [
    Object.fromEntries(
      members.map((member) => [
        member,
        (data.tags_json as z.output<typeof File>[]).flatMap((file) => file[member]),
      ]),
    ),
  ],
}
