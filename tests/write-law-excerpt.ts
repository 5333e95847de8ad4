import { writeFileSync } from 'node:fs'
import { checkedOn, excerptFile, loadDatabase } from './support/law/editions.ts'
import { excerptFor } from './support/law/excerpt.ts'
import { formerLaws } from './support/law/names.ts'
import { listTitles, loadProfiles } from './support/law/profiles.ts'
import { citedInProject } from './support/law/sources.ts'

/** Writes tests/fixtures/laws.jsonl from the national database. Run it after a citation is added. */
const database = loadDatabase()
if (typeof database === 'string') throw new Error(database)
const titles = [...formerLaws, ...loadProfiles().flatMap(listTitles)]
writeFileSync(excerptFile, excerptFor(citedInProject(), titles, database, checkedOn))
