import { describe, expect, test } from 'vitest'
import { checkedOn, loadDatabase, loadExcerpt, titleKey } from './support/law/editions.ts'
import { editionFaults, loadProfiles, type Profile } from './support/law/profiles.ts'

const profiles = loadProfiles()
const each = profiles.map((profile) => [profile.record.code as string, profile] as const)
const excerpt = loadExcerpt()

describe('editions', () => {
  test.each(each)('%s states its day and the edition of every law that it cites', (_, profile) => {
    expect(profile.record.as_of).toBe(checkedOn)
    expect(editionFaults(profile, excerpt)).toEqual([])
  })

  const database = loadDatabase()
  const missing = typeof database === 'string' ? database : null
  if (missing) console.log(`skipped, the profiles against the database: ${missing}`)

  test.skipIf(missing)('no profile cites a law that has a newer edition in the database', () => {
    if (typeof database === 'string') return
    expect(profiles.flatMap((profile) => editionFaults(profile, database))).toEqual([])
  })

  const lending = profiles.find(({ record }) => record.code === 'private_lending')!
  const key = titleKey('民法典')
  const withEdition = (effective: string, status: 'in force' | 'not yet in force') => {
    const newer = { ...excerpt.get(key)!.at(-1)!, effective, status }
    return new Map([...excerpt, [key, [...excerpt.get(key)!, newer]]])
  }

  test.each([
    ['2026-10-01', 'in force'],
    ['2027-01-01', 'not yet in force'],
  ] as const)('an edition of %s that is %s is reported', (effective, status) => {
    const faults = editionFaults(lending, withEdition(effective, status))
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(effective)
  })

  test('a law that is cited and not stated is reported, and a wrong date', () => {
    const laws = lending.record.laws.filter(({ law }: any) => law !== '民法典')
    const plantFault = (record: object): Profile => ({
      ...lending,
      record: { ...lending.record, ...record },
    })
    expect(editionFaults(plantFault({ laws }), excerpt)).toEqual([
      'private_lending cites 民法典 and does not state its edition',
    ])
    const [first, ...rest] = lending.record.interpretations
    const interpretations = [{ ...first, effective_from: '2015-09-01' }, ...rest]
    expect(editionFaults(plantFault({ interpretations }), excerpt)).toHaveLength(1)
  })
})

describe('sides', () => {
  test.each(each)('%s has elements for every party that can claim', (_, { record, elements }) => {
    const claimants = record.parties
      .filter(({ position }: any) => position !== 'defendant')
      .map(({ role }: any) => role)
    for (const { element_id, side } of elements) {
      if (side) expect(claimants, element_id).toContain(side)
    }
    for (const role of claimants) {
      const own = elements.filter(({ side }) => side === undefined || side === role)
      expect(own.filter(({ required }) => required).length, role).toBeGreaterThan(0)
    }
    const either = record.parties.filter(({ position }: any) => position === 'either')
    for (const { role } of either) {
      const own = elements.filter(({ side, required }) => side === role && required)
      expect(own.length, role).toBeGreaterThan(0)
    }
  })

  test('causes that either side brings are those with two claimants', () => {
    const twoSided = profiles
      .filter(({ record }) => record.parties.every(({ position }: any) => position === 'either'))
      .map(({ record }) => record.code)
    expect(twoSided).toEqual([
      'construction_contract',
      'equity_transfer',
      'housing_sale',
      'lease_contract',
      'property_service',
      'sale_contract',
      'service_contract',
    ])
  })
})

describe('defences', () => {
  const defences = profiles.flatMap(({ elements }) =>
    elements.flatMap(({ element_id, defences }) =>
      defences.map((defence: any) => ({ ...defence, element_id })),
    ),
  )
  const findDefence = (element_id: string, name: string) =>
    defences.find((each) => each.element_id === element_id && each.name === name)

  test('only objections have a burden', () => {
    const wrong = defences.filter(
      ({ kind, burden_of_proof }) => (kind === 'objection') !== (burden_of_proof !== undefined),
    )
    expect(wrong).toEqual([])
    expect(defences.filter(({ kind }) => kind === 'denial').length).toBeGreaterThan(80)
  })

  test.each([
    ['private_lending.delivery', '款项未实际交付', 'denial', undefined],
    ['private_lending.principal', '已经偿还', 'objection', 'defendant'],
    ['private_lending.spouse_liability', '属于个人债务', 'denial', undefined],
    ['traffic_accident.liable_person', '所有人、管理人没有过错', 'denial', undefined],
    ['sale_contract.quality', '怠于通知，视为符合约定', 'denial', undefined],
    ['financial_loan.interest', '未提示格式条款', 'objection', 'plaintiff'],
    ['guarantee.guarantee_contract', '公司越权担保', 'objection', 'plaintiff'],
    ['labor_dispute.double_wage', '未订立不可归责于用人单位', 'objection', 'defendant'],
    ['private_lending.interest', '利率超过上限', 'rule_of_law', undefined],
  ])('%s: %s is a %s', (element, name, kind, burden) => {
    expect(findDefence(element, name)).toMatchObject({ kind })
    expect(findDefence(element, name).burden_of_proof).toBe(burden)
  })
})
