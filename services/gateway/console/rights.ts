import type { Me } from './api/types.ts'

/** Clients search and read; the other people of an organization keep bases too. */
export const keepsBases = ({ user_type }: Me) => user_type !== 'client'

export const administers = ({ user_type, permissions }: Me) =>
  user_type === 'firm_admin' || permissions.includes('platform:manage')
