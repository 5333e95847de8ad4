import { expect, test } from 'vitest'
import platform from '../services/platform/service.ts'
import { external, seed, stageKnowledge } from './support/knowledge.ts'
import { readDataFiles } from './support/seed-packages.ts'
import { stage } from './support/stage.ts'

const structured = 'knowledge_structured_seeds'
const records = (directory: string) =>
  readDataFiles(structured, `data/${directory}`).flatMap((file) => file.records)

test('knowledge-service imports all structured records, and a second import changes nothing', async () => {
  const at = await stageKnowledge()
  try {
    const source = { package_id: structured, version: '2026-11-15' }
    const litigation_elements = records('litigation')
    const non_litigation_checklists = records('checklists')
    const profiles = records('profiles')
    const importTwice = async (path: string, body: object, all: number) => {
      const first = await at.post(`${seed}/${path}`, { ...body, source })
      expect(first.data, first.text).toMatchObject({ created: all, updated: 0, deleted: 0 })
      const again = await at.post(`${seed}/${path}`, { ...body, source })
      expect(again.data).toMatchObject({ created: 0, updated: 0, unchanged: all, deleted: 0 })
    }
    await importTwice('cause-of-action-profiles/import', { profiles }, profiles.length)
    const all = litigation_elements.length + non_litigation_checklists.length
    await importTwice('structured/import', { litigation_elements, non_litigation_checklists }, all)

    for (const [query, code] of [
      ['借钱不还', 'private_lending'],
      ['老板拖欠工资', 'labor_dispute'],
      ['房东不退押金', 'lease_contract'],
    ]) {
      const path = `${external}/causes-of-action?q=${encodeURIComponent(query!)}`
      const { data } = await at.get(path)
      expect(data.items.map((each: any) => each.code)).toEqual([code])
    }
    const { data } = await at.get(`${external}/causes-of-action/private_lending`)
    const own = litigation_elements.filter((each) => each.element_id.startsWith('private_lending.'))
    expect(data.elements).toMatchObject(own)
  } finally {
    await at.close()
  }
})

test('platform-service imports all defaults, and a second import changes nothing', async () => {
  const at = await stage(platform)
  try {
    const [configs, flags, tags] = ['configs', 'flags', 'tags'].map((name) =>
      readDataFiles('platform_defaults', 'data').find(({ path }) => path.endsWith(`${name}.json`)),
    )
    const named = Object.values(tags!.records).flat().length
    for (const [path, body, all] of [
      ['configs', { configs: configs!.records }, configs!.records.length],
      ['feature-flags', { flags: flags!.records }, flags!.records.length],
      ['tags', tags!.records, named],
    ] as const) {
      const write = async () =>
        (await at.call('POST', `/api/v1/internal/platform/${path}/batch`, { body })).data
      expect(await write()).toMatchObject({ created: all, updated: 0, unchanged: 0 })
      expect(await write()).toMatchObject({ created: 0, updated: 0, unchanged: all })
    }
    const { data } = await at.call('GET', '/api/v1/categories')
    const children = data.items.map(({ key, children }: any) => [key, children.length])
    expect(children).toEqual([
      ['consultation', 0],
      ['dispute_resolution', 9],
      ['non_litigation', 5],
    ])
  } finally {
    await at.close()
  }
})
