import { beforeAll, describe, expect, test } from 'vitest'
import { docx, pdf } from '../../support/corpus/documents.ts'
import { drawText, encodePng } from '../../support/corpus/picture.ts'
import { loadStories } from '../../support/story.ts'
import { runScript } from './client.ts'
import { ensureSuite } from './suite.ts'

describe('a suite that was applied with kubectl', () => {
  beforeAll(async () => {
    const began = performance.now()
    const { status } = await ensureSuite()
    console.log(`apply until Ready: ${((performance.now() - began) / 1_000).toFixed(0)} s`)
    expect(status).toMatchObject({ phase: 'Ready', ready: '9/9', seeds: { state: 'Applied' } })
  })

  test('a consultation through the gateway ends with documents that can be downloaded', async () => {
    const story = loadStories().find(({ name }) => /loan to a friend with an IOU/.test(name))!
    const { cards, deliverables } = await runScript('consultation.mjs', { story })
    expect(cards).toBeGreaterThan(0)
    const keys = story.expect.deliverables.flatMap((key) => [key, `${key}_pdf`]).sort()
    expect(deliverables.map((each: any) => each.deliverable_key).sort()).toEqual(keys)
    for (const { deliverable_key, status, start } of deliverables) {
      expect(status).toBe(200)
      expect(start).toBe(deliverable_key.endsWith('_pdf') ? '%PDF' : 'PK\u0003\u0004')
    }
  })

  test('a document, a PDF and a picture are parsed in the pod', async () => {
    const encode = (content: Uint8Array) => Buffer.from(content).toString('base64')
    const files = {
      document: { filename: 'a.docx', base64: encode(await docx(['lease of the flat'], [])) },
      pages: { filename: 'b.pdf', base64: encode(await pdf(['rent of the flat'])) },
      picture: { filename: 'c.png', base64: encode(encodePng(drawText('THE FILE'))) },
    }
    const story = { name: 'files', files, turns: [], answers: {} }
    const { texts } = await runScript('consultation.mjs', { story })
    expect(texts.document).toContain('lease of the flat')
    expect(texts.pages).toContain('rent of the flat')
    expect(texts.picture).toContain('THE FILE')
  })
})
