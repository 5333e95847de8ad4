import { type ServiceName, serviceNames, serviceTable } from '../api/service-table.ts'

const waveCount = 1 + Math.max(...serviceNames.map((name) => serviceTable[name].wave))

const callerCount = (name: ServiceName) =>
  serviceNames.filter((caller) => serviceTable[caller].calls.some((called) => called === name))
    .length

/**
 * Rollout order. A service comes after the services it needs to handle a request. Within a wave those that most
 * services call come first, because the first one that is not ready is reported.
 */
export const waves: ServiceName[][] = Array.from({ length: waveCount }, (_, wave) =>
  serviceNames
    .filter((name) => serviceTable[name].wave === wave)
    .sort((one, other) => callerCount(other) - callerCount(one)),
)
