import type { ContainerConfig } from './archive.ts'

/** How a container of the image starts. The Dockerfile says the same; a test compares both. */
export const containerConfig = (version: string): ContainerConfig => ({
  User: '10001:10001',
  WorkingDir: '/app',
  Env: ['NODE_ENV=production'],
  Cmd: ['node', 'services/_run/node.ts'],
  Labels: {
    'org.opencontainers.image.title': 'legal-suite',
    'org.opencontainers.image.description': 'The services and the operator of the legal suite',
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.version': version,
  },
})
