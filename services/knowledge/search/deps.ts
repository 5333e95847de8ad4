import type { Sql } from '../../_kit/sql/sql.ts'
import type { SearchCache } from './index/cache.ts'
import type { LayWords } from './query/lay-words.ts'

/** Dependencies of a search in the database. */
export interface SearchDeps {
  sql: Sql
  searchCache: SearchCache
  layWords: LayWords | undefined
}
