import { eraseInTransaction } from '../_kit/erasure.ts'
import { json, type Sql } from '../_kit/sql/sql.ts'
import { FeatureFlag } from './flag.ts'

/** Erases a user from the records of platform-service. Audit entries stay. */
export const erasePlatform = (sql: Sql, userId: string | undefined, dryRun: boolean) =>
  eraseInTransaction(sql, dryRun, async (sql) => ({
    feature_flags: userId === undefined ? 0 : await removeFromFlags(sql, userId),
  }))

/** Removes a user from rules. A rule without users keeps its empty list, which matches no user. */
async function removeFromFlags(sql: Sql, user: string): Promise<number> {
  const flags = await sql.rows(FeatureFlag)`
    select * from platform.feature_flags
    where jsonb_path_exists(rules, '$[*].user_ids[*] ? (@ == $user)', ${json({ user })})
    order by key for update`
  for (const { key, rules } of flags) {
    const remaining = rules.map((rule) =>
      rule.user_ids ? { ...rule, user_ids: rule.user_ids.filter((id) => id !== user) } : rule,
    )
    await sql`
      update platform.feature_flags
      set rules = ${json(remaining)}, version = version + 1, updated_at = now() where key = ${key}`
  }
  return flags.length
}
