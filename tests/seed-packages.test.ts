import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ZodType } from 'zod'
import { findPhrase } from '../services/ai-engine/causes/find-phrase.ts'
import {
  CauseOfActionProfile,
  LitigationElement,
  NonLitigationChecklistItem,
} from '../services/knowledge/seed/records.ts'
import { MatterCategory } from '../services/matter/matter.ts'
import {
  type DataFile,
  readDataFiles,
  readManifest,
  referencedFiles,
} from './support/seed-packages.ts'
import { SeedChecklistItem, SeedElement, SeedProfile } from './support/seed-schemas.ts'

const packageId = 'knowledge_structured_seeds'
const litigation = readDataFiles(packageId, 'data/litigation')
const profiles = readDataFiles(packageId, 'data/profiles')
const checklists = readDataFiles(packageId, 'data/checklists')
const named = (file: DataFile) => basename(file.path, '.json')
const recordId = (record: any): string => record.element_id ?? record.item_id ?? record.code
const duplicates = (all: string[]) => all.filter((byPath, index) => all.indexOf(byPath) < index)
const byPath = (files: DataFile[]) => files.map((file) => [file.path, file] as const)

/** The service schema keeps every field of a record, and the record fits the stricter project schema. */
function expectRecords({ records }: DataFile, serviceSchema: ZodType, projectSchema: ZodType) {
  expect(records.length).toBeGreaterThan(0)
  for (const record of records) {
    const name = recordId(record)
    expect(projectSchema.safeParse(record).error?.issues ?? [], name).toEqual([])
    expect(serviceSchema.parse(record), name).toMatchObject(record)
  }
}

describe('the litigation elements', () => {
  test.each(byPath(litigation))('%s fits its schema', (_, file) => {
    expectRecords(file, LitigationElement, SeedElement)
  })

  test.each(byPath(litigation))('%s contains the elements of its cause in order', (_, file) => {
    const code = named(file)
    expect(file.records.length).toBeGreaterThanOrEqual(3)
    for (const element of file.records) {
      expect(element.cause_of_action_code).toBe(code)
      expect(element.element_id.split('.')[0]).toBe(code)
    }
    expect(file.records.map(({ order_num }) => order_num)).toEqual(
      file.records.map((_, index) => index + 1),
    )
    expect(file.records.some(({ required }) => required)).toBe(true)
  })

  test.each(byPath(litigation))(
    '%s has a case that meets each element and one that does not',
    (_, { records }) => {
      for (const { element_id, cases } of records) {
        expect(new Set(cases.map(({ met }: any) => met)), element_id).toEqual(
          new Set([true, false]),
        )
      }
    },
  )

  test.each(byPath(litigation))('%s asks for each fact once', (_, { path, records }) => {
    const keys = records.flatMap(({ questions }) => questions.map((one: any) => one.field_key))
    expect(duplicates(keys)).toEqual([])
    const own = keys.map((key) => key.split('.')).filter((parts) => parts.length === 3)
    expect(new Set(own.map(([, code]) => code))).toEqual(new Set([basename(path, '.json')]))
  })
})

describe('the conditions', () => {
  test.each(byPath(litigation))('%s states them on answers that its questions allow', (_, file) => {
    const questions = new Map<string, any>(
      file.records.flatMap(({ questions }) => questions.map((each: any) => [each.field_key, each])),
    )
    const conditions = file.records.flatMap((element: any) =>
      [element, ...element.legal_basis, ...element.defences].flatMap(({ only_if = [] }) => only_if),
    )
    for (const { field_key, values = [], from } of conditions) {
      const question = questions.get(field_key)
      expect(question, field_key).toBeDefined()
      if (from) expect(question.input_type, field_key).toBe('date')
      const allowed =
        question.input_type === 'boolean'
          ? [true, false]
          : (question.options ?? []).map(({ value }: any) => value)
      for (const value of values) expect(allowed, field_key).toContain(value)
    }
  })

  test.each(byPath(litigation))(
    '%s keeps at least three articles that ground a claim',
    (_, file) => {
      const cited = file.records.flatMap(({ legal_basis }: any) =>
        legal_basis.filter(({ grounds_claim = true }: any) => grounds_claim),
      )
      expect(cited.length).toBeGreaterThanOrEqual(3)
    },
  )
})

describe('the profiles', () => {
  test.each(byPath(profiles))('%s fits its schema', (_, file) => {
    expectRecords(file, CauseOfActionProfile, SeedProfile)
    expect(file.records.map(({ code }) => code)).toEqual([named(file)])
  })

  test('have the same dictionary version', () => {
    const versions = profiles.flatMap(({ records }) => records.map((one) => one.dictionary_version))
    expect(new Set(versions).size).toBe(1)
  })

  test('share no alias, so that an alias identifies one cause', () => {
    expect(duplicates(profiles.flatMap(({ records }) => records[0].aliases))).toEqual([])
  })
})

describe('the checklists', () => {
  test.each(byPath(checklists))('%s fits its schema', (_, file) => {
    expectRecords(file, NonLitigationChecklistItem, SeedChecklistItem)
    for (const item of file.records) {
      expect(item.service_type_id).toBe(named(file))
      expect(item.item_id.split('.')[0]).toBe(named(file))
    }
  })
})

describe('the service types', () => {
  const defaults = (name: string): any =>
    readDataFiles('platform_defaults', 'data').find(({ path }) => path === `data/${name}.json`)
      ?.records
  const [{ value }] = defaults('configs').filter(({ key }: any) => key === 'matters.service_types')

  test('have existing categories', () => {
    const keys = defaults('tags').categories.map(({ key }: any) => key)
    for (const type of value.service_types) {
      expect(MatterCategory.options).toContain(type.matter_category)
      expect(keys).toContain(type.category_key)
    }
  })

  test('have the same fields in the list and in the index by id', () => {
    for (const { id, ...type } of value.service_types) {
      expect(type).toMatchObject(value.resolved_service_types[id])
    }
    expect(Object.keys(value.resolved_service_types)).toHaveLength(value.service_types.length)
  })

  test('of non-litigation work have one checklist each', () => {
    const outside = value.service_types.filter(
      (type: any) => type.matter_category === 'non_litigation',
    )
    expect(checklists.map(named)).toEqual(outside.map(({ id }: any) => id).sort())
  })
})

describe('the package', () => {
  test('holds at least 20 causes and 8 checklists', () => {
    expect(litigation.length).toBeGreaterThanOrEqual(20)
    expect(checklists.length).toBeGreaterThanOrEqual(8)
  })

  test('has elements for every profile, and a profile for every element', () => {
    expect(profiles.map(named)).toEqual(litigation.map(named))
  })

  test('has cues in both languages for every cause, each a phrase that can be found', () => {
    for (const { cues, matter_category } of profiles.flatMap(({ records }) => records)) {
      expect(cues.some((cue: string) => /\p{Script=Han}/u.test(cue))).toBe(true)
      expect(cues.some((cue: string) => /^\P{Script=Han}+$/u.test(cue))).toBe(true)
      for (const cue of cues) {
        expect(findPhrase(cue.toLowerCase().replace('…', ' ').replace('*', ''), cue)).toBeDefined()
      }
      expect(['civil_litigation', 'labor_arbitration']).toContain(matter_category)
    }
  })

  test('uses no id twice', () => {
    const records = [...litigation, ...profiles, ...checklists].flatMap((file) => file.records)
    expect(duplicates(records.map(recordId))).toEqual([])
  })

  test.for([packageId, 'platform_defaults'])('%s names every data file and no other', (id) => {
    const manifest = readManifest(id)
    expect(manifest).toMatchObject({ schema_version: 1, package_id: id })
    expect(manifest.version).toMatch(/^\d{4}-\d\d-\d\d$/)
    const files = readDataFiles(id, 'data').map(({ path }) => path)
    expect(referencedFiles(manifest).sort()).toEqual(files)
  })
})
