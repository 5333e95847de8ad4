export const areas = [
  'consultations',
  'matters',
  'knowledge',
  'files',
  'collector',
  'platform',
  'ai',
] as const
export type Area = (typeof areas)[number]

/** Scopes of API tokens and of bearer tokens. */
export const scopes = ['*', ...areas.flatMap((area) => [`${area}:read`, `${area}:write`])]
