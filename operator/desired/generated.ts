import { dataLabel, labelsOf, nameOf, type Wanted } from './common.ts'
import { keySecretOf } from './key.ts'

/** A Secret that the operator makes once and then leaves alone: nobody knows what is in it before. */
export interface Generated {
  name: string
  labels: Record<string, string>
  /** From fresh random text; asked for once for each Secret. */
  values(random: () => string): Record<string, string>
}

/** Which Secrets a suite needs that nobody gives it. What is in them is not for a pure function to say. */
export function generated(suite: Wanted): Generated[] {
  const { database, search, graph, internalKey } = suite.spec
  const secret = (what: string, values: Generated['values'], data: boolean): Generated => ({
    name: nameOf(suite, what),
    labels: { ...labelsOf(suite, what), ...(data && { [dataLabel]: 'true' }) },
    values,
  })
  const list: Generated[] = []
  if (!internalKey) {
    const key = secret('internal-key', (random) => ({ current: random(), accepted: '' }), false)
    list.push({ ...key, name: keySecretOf(suite) })
  }
  if (database.type === 'Embedded') {
    const host = nameOf(suite, 'postgres')
    const values = (random: () => string) => {
      const password = random()
      return { password, url: `postgres://legal:${password}@${host}:5432/legal` }
    }
    list.push(secret('postgres', values, true))
  }
  if (search?.type === 'Managed')
    list.push(secret('qdrant', (random) => ({ 'api-key': random() }), false))
  if (graph?.type === 'Managed') {
    const values = (random: () => string) => {
      const password = random()
      return { password, auth: `neo4j/${password}` }
    }
    list.push(secret('neo4j', values, true))
  }
  return list
}
