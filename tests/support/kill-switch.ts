import type { Peer } from '../../services/_kit/peer.ts'
import type { Driver } from '../../services/_kit/sql/sql.ts'

/**
 * Simulates `kill -9` at the n-th point. Each query and each peer request has two points: before it is sent
 * and after its response. From the point on every call fails and open transactions roll back. Tests expire
 * the lease in the database instead of waiting for it.
 */
export function makeKillSwitch(killAt: number) {
  let points = 0
  const countPoint = () => {
    if (++points >= killAt) throw new Error('killed')
  }
  const countAround = async <T>(work: () => Promise<T>): Promise<T> => {
    countPoint()
    const result = await work()
    countPoint()
    return result
  }
  return {
    isKilled: () => points >= killAt,
    countPoints: () => points,
    driver: (driver: Driver): Driver => ({
      query: (text, params) => countAround(() => driver.query(text, params)),
      transaction: (work) =>
        countAround(() =>
          driver.transaction((query) =>
            work((text, params) => countAround(() => query(text, params))),
          ),
        ),
      end: () => driver.end(),
    }),
    peer:
      (peer: Peer): Peer =>
      (request) =>
        countAround(async () => peer(request)),
  }
}

export type KillSwitch = ReturnType<typeof makeKillSwitch>
