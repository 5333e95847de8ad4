import type { Identity } from './principal.ts'

const organization_id = 'sample-firm'

/** Sample people of local sign-in: one of each kind of user of a firm. */
export const samplePeople: Identity[] = [
  {
    id: 'sample-client',
    name: '陈小雨 · Client',
    organization_id,
    user_type: 'client',
    permissions: [],
    superuser: false,
  },
  {
    id: 'sample-lawyer',
    name: '林律师 · Lawyer',
    organization_id,
    user_type: 'lawyer',
    permissions: ['collector:read'],
    superuser: false,
  },
  {
    id: 'sample-administrator',
    name: '周主任 · Administrator',
    organization_id,
    user_type: 'firm_admin',
    permissions: ['collector:read', 'collector:manage', 'platform:manage'],
    superuser: false,
  },
]
