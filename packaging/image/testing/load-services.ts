/**
 * Loads every service from the folder in the first argument and writes a PDF with them. Runs with permission to
 * read that folder only, so a file that the image lacks is an error.
 */
import { pathToFileURL } from 'node:url'

const load = (path: string) => import(pathToFileURL(`${process.argv[2]}/${path}`).href)

const { suite } = await load('services/_run/services.ts')
await load('services/_run/single.ts')
const { openPdf } = await load('services/ai-engine/skills/document_drafting/pdf/pdf-page.node.ts')
const page = openPdf({ title: 'T', author: 'A', day: '2026-01-02', language: 'zh' })
page.write([{ text: '合同 contract' }], { size: 12 })
const pdf = await page.finish(() => '1')
const folders = suite.map(({ folder }: { folder: string }) => folder)
console.log(JSON.stringify({ folders, pdf: Buffer.from(pdf).toString('latin1', 0, 4) }))
