import * as z from 'zod'
import { ConfigError } from '../../_kit/config.ts'
import { UserType } from '../principal.ts'

/** Environment variables of the OpenID Connect provider. */
export const OidcConfig = z.object({
  OIDC_ISSUER: z
    .url()
    .optional()
    .describe('Issuer URL of the OpenID Connect provider. Default: none, no sign-in by provider.'),
  OIDC_CLIENT_ID: z.string().optional().describe('Client id of the gateway at the provider.'),
  OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .describe('Client secret. Default: none, the gateway is a public client with PKCE.'),
  OIDC_AUDIENCE: z
    .string()
    .optional()
    .describe('Audience of bearer tokens of the provider. Default: none, they are not accepted.'),
  OIDC_SCOPES: z.string().default('openid profile email').describe('Scopes of a sign-in.'),
  OIDC_USER_CLAIM: z.string().default('sub').describe('Claim with the user id.'),
  OIDC_ORGANIZATION_CLAIM: z
    .string()
    .default('organization_id')
    .describe('Claim with the organization: a name, or a path with dots.'),
  OIDC_ORGANIZATION: z
    .string()
    .optional()
    .describe('Organization of people without that claim. Default: none, they cannot sign in.'),
  OIDC_ROLES_CLAIM: z
    .string()
    .default('roles')
    .describe('Claim with roles or groups: a name, or a path with dots.'),
  OIDC_ROLE_GRANTS: z
    .string()
    .default('')
    .describe(
      'Grants of roles: role=grant, separated by commas. A grant is a user type, a permission or `superuser`. Default: everyone is a client.',
    ),
})

/** Grants of one role. */
export interface RoleGrant {
  role: string
  grant: { userType: UserType } | { permission: string } | { superuser: true }
}

export interface ClaimMapping {
  userClaim: string
  organizationClaim: string
  defaultOrganization: string | undefined
  rolesClaim: string
  grants: readonly RoleGrant[]
}

export interface OidcSettings {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  audience: string | undefined
  scopes: string
  /** Address of the gateway, without a slash at the end. */
  publicUrl: string
  claims: ClaimMapping
  /** Plain http to the provider is allowed on loopback outside production. */
  allowHttp: boolean
}

const loopback = /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:|\/|$)/

export function parseOidc(
  config: z.output<typeof OidcConfig> & { PUBLIC_URL?: string | undefined },
  production: boolean,
): OidcSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, PUBLIC_URL: publicUrl } = config
  if (issuer === undefined) return undefined
  if (clientId === undefined) throw new ConfigError('OIDC_CLIENT_ID: required with OIDC_ISSUER.')
  if (publicUrl === undefined) throw new ConfigError('PUBLIC_URL: required with OIDC_ISSUER.')
  const allowHttp = !production && loopback.test(issuer)
  if (!issuer.startsWith('https:') && !allowHttp) {
    throw new ConfigError('OIDC_ISSUER: must be an https URL.')
  }
  return {
    issuer,
    clientId,
    clientSecret: config.OIDC_CLIENT_SECRET,
    audience: config.OIDC_AUDIENCE,
    scopes: config.OIDC_SCOPES,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    allowHttp,
    claims: {
      userClaim: config.OIDC_USER_CLAIM,
      organizationClaim: config.OIDC_ORGANIZATION_CLAIM,
      defaultOrganization: config.OIDC_ORGANIZATION,
      rolesClaim: config.OIDC_ROLES_CLAIM,
      grants: parseGrants(config.OIDC_ROLE_GRANTS),
    },
  }
}

/** Parses `lawyers=lawyer, admins=firm_admin, admins=platform:manage`. */
export function parseGrants(list: string): RoleGrant[] {
  const pairs = list.split(',').filter((pair) => pair.trim() !== '')
  return pairs.map((pair) => {
    // The name of a role may contain an equals sign (a group of a directory); a grant never does.
    const at = pair.lastIndexOf('=')
    const [role, grant] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    const userType = UserType.safeParse(grant)
    if (at < 1 || role === '') throw new ConfigError(`OIDC_ROLE_GRANTS: ${pair} is not role=grant.`)
    if (userType.success) return { role, grant: { userType: userType.data } }
    if (grant === 'superuser') return { role, grant: { superuser: true } }
    if (/^[a-z][a-z-]*:[a-z][a-z-]*$/.test(grant)) return { role, grant: { permission: grant } }
    throw new ConfigError(
      `OIDC_ROLE_GRANTS: ${grant} is no user type, no permission (area:action) and not superuser.`,
    )
  })
}
