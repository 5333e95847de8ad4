interface ServiceEntry {
  /** Name in logs, API paths and the variables that hold its address. */
  networkName: string
  /** Services it sends requests to. A test compares this with the sources. */
  calls: readonly string[]
  /** Position in the rollout order. A service comes after those it needs to handle a request. */
  wave: number
  memory: { request: string; limit: string }
}

const memory = { request: '192Mi', limit: '512Mi' }
const largeMemory = { request: '384Mi', limit: '1Gi' }
/** files-service parses documents in child processes that can need a gigabyte. */
const parserMemory = { request: '384Mi', limit: '2Gi' }

/**
 * The services of a suite in the order of their ports. Operator, chart and documents are made from this table.
 * platform-service forwards requests to services of later waves; it does not need them for its own.
 */
export const serviceTable = {
  memory: { networkName: 'memory-service', calls: [], wave: 0, memory },
  'ai-engine': {
    networkName: 'ai-engine',
    calls: ['matter', 'memory', 'files', 'knowledge'],
    wave: 2,
    memory: largeMemory,
  },
  consultations: {
    networkName: 'consultations-service',
    calls: ['matter', 'ai-engine', 'files', 'platform', 'memory'],
    wave: 3,
    memory,
  },
  matter: {
    networkName: 'matter-service',
    calls: ['files', 'memory', 'platform'],
    wave: 1,
    memory,
  },
  knowledge: {
    networkName: 'knowledge-service',
    calls: ['files', 'platform'],
    wave: 1,
    memory: largeMemory,
  },
  collector: {
    networkName: 'collector-service',
    calls: ['platform', 'knowledge'],
    wave: 3,
    memory,
  },
  platform: {
    networkName: 'platform-service',
    calls: ['ai-engine', 'consultations', 'matter', 'memory', 'files', 'knowledge', 'collector'],
    wave: 0,
    memory,
  },
  files: { networkName: 'files-service', calls: [], wave: 0, memory: parserMemory },
  gateway: { networkName: 'gateway', calls: ['platform'], wave: 4, memory },
} satisfies Record<string, ServiceEntry>

export type ServiceName = keyof typeof serviceTable
export const serviceNames = Object.keys(serviceTable) as [ServiceName, ...ServiceName[]]
