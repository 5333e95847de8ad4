import type { Service } from '../_kit/service.ts'
import aiEngine from '../ai-engine/service.ts'
import collector from '../collector/service.ts'
import consultations from '../consultations/service.ts'
import files from '../files/service.ts'
import gateway from '../gateway/service.ts'
import knowledge from '../knowledge/service.ts'
import matter from '../matter/service.ts'
import memory from '../memory/service.ts'
import platform from '../platform/service.ts'

/** Services in the order of their ports; the first listens on PORT + 1. */
export const order = [
  'memory',
  'ai-engine',
  'consultations',
  'matter',
  'knowledge',
  'collector',
  'platform',
  'files',
] as const

export const services: Service[] = [
  memory,
  aiEngine,
  consultations,
  matter,
  knowledge,
  collector,
  platform,
  files,
]

/** The services and the gateway in front of them. */
export const suite: Service[] = [...services, gateway]

/** The gateway listens on the base port, the services on the ports after it. */
export const servicePort = ({ folder }: Pick<Service, 'folder'>, base: number) =>
  base + 1 + order.indexOf(folder as (typeof order)[number])
