import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { addressVariable } from '../../services/_kit/peer.ts'
import { order, servicePort, suite } from '../../services/_run/services.ts'
import * as desired from '../desired/service.ts'
import { serviceNames, serviceTable } from './service-table.ts'

test('the table lists the services in the order of their ports', () => {
  expect(serviceNames).toEqual([...order, 'gateway'])
  expect(servicePort({ folder: serviceNames[0] }, 8080)).toBe(8081)
})

test('names and address variables are those of the services', () => {
  expect(serviceNames.map((name) => serviceTable[name].networkName)).toEqual(
    suite.map(({ name }) => name),
  )
  for (const name of order)
    expect(desired.addressVariable(name)).toBe(addressVariable(serviceTable[name].networkName))
})

test.each(serviceNames)('the calls of %s are those of its source', (name) => {
  const source = readFileSync(new URL(`../../services/${name}/deps.ts`, import.meta.url), 'utf8')
  const called = [...source.matchAll(/client\('([a-z-]+)'\)/g)].map(([, each]) => each)
  const known = serviceNames.filter((each) => called.includes(serviceTable[each].networkName))
  expect([...serviceTable[name].calls].sort()).toEqual(known.sort())
})

test('every service except platform is in a later wave than the services it calls', () => {
  for (const name of serviceNames.filter((each) => each !== 'platform')) {
    const { calls, wave } = serviceTable[name]
    for (const called of calls)
      expect(serviceTable[called as keyof typeof serviceTable].wave, name).toBeLessThan(wave)
  }
})
