import type { Peer } from '../../services/_kit/peer.ts'
import type { Driver } from '../../services/_kit/sql/sql.ts'

/**
 * Simulates `kill -9` at the n-th point, or after the n-th commit of a step. Each query and each peer request
 * has two points: before it is sent and after its response. From the point on every call fails and open
 * transactions roll back. Tests expire the lease in the database instead of waiting for it.
 */
export function makeKillSwitch(killAt: number, killAfterStep = Number.POSITIVE_INFINITY) {
  let points = 0
  let steps = 0
  const isKilled = () => points >= killAt || steps >= killAfterStep
  const countPoint = () => {
    points++
    if (isKilled()) throw new Error('killed')
  }
  const countStep = (text: string) => {
    if (text.includes('insert into ai_engine.checkpoints')) steps++
  }
  const countAround = async <T>(work: () => Promise<T>): Promise<T> => {
    countPoint()
    const result = await work()
    countPoint()
    return result
  }
  return {
    isKilled,
    countPoints: () => points,
    countSteps: () => steps,
    driver: (driver: Driver): Driver => ({
      query: (text, params) =>
        countAround(async () => {
          const rows = await driver.query(text, params)
          countStep(text)
          return rows
        }),
      transaction: (work) =>
        countAround(async () => {
          const committed: string[] = []
          const result = await driver.transaction((query) =>
            work((text, params) => {
              committed.push(text)
              return countAround(() => query(text, params))
            }),
          )
          committed.forEach(countStep)
          return result
        }),
      end: () => driver.end(),
    }),
    peer:
      (peer: Peer): Peer =>
      (request) =>
        countAround(async () => peer(request)),
  }
}

export type KillSwitch = ReturnType<typeof makeKillSwitch>
