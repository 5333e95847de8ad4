import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build } from '../services/collector/cli/build.cli.ts'
import { type KnowledgeStage, seed, stageKnowledge } from './support/knowledge.ts'
import { editionQuestions } from './support/law/edition-questions.ts'
import { editionsFile, readLawLines } from './support/law/law-lines.ts'

const directory = mkdtempSync(join(tmpdir(), 'legal-suite-editions-'))
const questions = editionQuestions(readLawLines(editionsFile), 100, 4)
const minute = 60_000

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge()
  const options = { packageId: undefined, kb: 'sys_statutes', version: '2026-02-01' }
  await build({ from: editionsFile, out: join(directory, 'editions'), ...options })
  const listing = readFileSync(join(directory, 'editions/data/documents.json'), 'utf8')
  const imported = await at.post(`${seed}/system-kb-documents/import`, JSON.parse(listing))
  expect(imported.status, imported.text).toBe(200)
}, 5 * minute)
afterAll(async () => {
  await at?.close()
  rmSync(directory, { recursive: true, force: true })
})

test('the fixture has 100 questions whose answers differ between two editions', () => {
  expect(questions).toHaveLength(100)
  for (const { answers } of questions) expect(answers[0]!.content).not.toBe(answers[1]!.content)
})

test(
  'each question finds the article of the edition that is in force on the day',
  async () => {
    const wrong: object[] = []
    for (const { query, title, answers } of questions) {
      for (const { day, edition, content } of answers) {
        const { data } = await at.search(['sys_statutes'], query, { as_of: day, top_k: 5 })
        const [first] = data.hits.filter((hit: any) => hit.title === title)
        const found = { edition: first?.document_id, content: first?.content }
        if (found.edition !== edition || found.content !== content) {
          wrong.push({ query, day, expected: { edition, content }, found })
        }
      }
    }
    expect(wrong).toEqual([])
  },
  10 * minute,
)

test(
  'each article resolves to the edition that is in force on the day',
  async () => {
    for (const [index, day] of ['older', 'newer'].entries()) {
      for (const { title, answers } of questions.slice(0, 20)) {
        const answer = answers[index]!
        const article = answer.content.split(' ')[0]
        const body = { citations: [{ law: title, article }], as_of: answer.day }
        const { data } = await at.post('/api/v1/internal/citations/verify', body)
        expect(data.citations[0], `${day} ${title} ${article}`).toMatchObject({
          found: true,
          document_id: answer.edition,
          content: answer.content,
          status: 'in_force',
        })
      }
    }
  },
  5 * minute,
)
