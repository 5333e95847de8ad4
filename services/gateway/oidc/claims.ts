import { Fault } from '../../_kit/fault.ts'
import { printable } from '../../_kit/identity.ts'
import type { Identity, UserType } from '../principal.ts'
import type { ClaimMapping } from './config.ts'

export type Claims = Record<string, unknown>

/** User types by rising rights: the last one that a role grants wins. */
const userTypes: readonly UserType[] = ['client', 'lawyer', 'firm_admin', 'operator']

/** Maps the claims of a token to a person. Throws FORBIDDEN if they name no user or organization. */
export function identityFromClaims(claims: Claims, mapping: ClaimMapping): Identity {
  const id = headerValue(readClaim(claims, mapping.userClaim), mapping.userClaim)
  if (mapping.userClaim === 'email' && claims.email_verified === false) {
    throw new Fault(
      'FORBIDDEN',
      'The email address of the account is not verified. Verify it first.',
    )
  }
  const organization =
    readOrganization(readClaim(claims, mapping.organizationClaim)) ?? mapping.defaultOrganization
  const roles = new Set(readRoles(claims, mapping))
  const grants = mapping.grants.filter(({ role }) => roles.has(role)).map(({ grant }) => grant)
  const granted = grants.flatMap((grant) => ('userType' in grant ? [grant.userType] : []))
  const permissions = grants.flatMap((grant) => ('permission' in grant ? [grant.permission] : []))
  return {
    id,
    name: readName(claims) ?? id,
    organization_id: headerValue(organization, mapping.organizationClaim),
    user_type: userTypes.findLast((type) => granted.includes(type)) ?? 'client',
    permissions: [...new Set(permissions)].sort(),
    superuser: grants.some((grant) => 'superuser' in grant),
  }
}

/** Whether the claims lack the organization or the roles, which some providers put into userinfo only. */
export const isIncomplete = (claims: Claims, mapping: ClaimMapping) =>
  readClaim(claims, mapping.rolesClaim) === undefined ||
  (readClaim(claims, mapping.organizationClaim) === undefined &&
    mapping.defaultOrganization === undefined)

/**
 * Reads a claim by its name, else by a path with dots: `realm_access.roles`. The names on the path may
 * contain dots themselves (`https://firm.example/app.roles`).
 */
function readClaim(claims: unknown, path: string): unknown {
  if (claims === null || typeof claims !== 'object') return undefined
  if (Object.hasOwn(claims, path)) return (claims as Claims)[path]
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot)
    if (!Object.hasOwn(claims, name)) continue
    const value = readClaim((claims as Claims)[name], path.slice(dot + 1))
    if (value !== undefined) return value
  }
  return undefined
}

/**
 * Reads the roles. Throws FORBIDDEN if the provider left them out because they are too many: Entra ID then
 * names the claim in `_claim_names` (OpenID Connect, distributed claims). Without the error a person would
 * silently sign in with fewer rights.
 */
function readRoles(claims: Claims, { rolesClaim }: ClaimMapping): string[] {
  const roles = readClaim(claims, rolesClaim)
  const isDistributed = readClaim(claims._claim_names, rolesClaim) !== undefined
  const isOverage = rolesClaim === 'groups' && claims.hasgroups !== undefined
  if (roles === undefined && (isDistributed || isOverage)) {
    throw new Fault(
      'FORBIDDEN',
      `The account is in too many groups for the claim ${rolesClaim}. Use app roles, or limit the groups of the application.`,
    )
  }
  return readList(roles)
}

/** A list of texts; a single text is a list of one. */
function readList(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

/**
 * Reads the organization from the shapes that providers use: a text or number, a list of one, or an
 * object with one member (`{"acme": {"id": "42"}}` of Keycloak). Several organizations are ambiguous.
 */
function readOrganization(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return undefined
  const entries = Array.isArray(value)
    ? value.map((each) => [each, undefined])
    : Object.entries(value)
  if (entries.length > 1) {
    throw new Fault('FORBIDDEN', 'The account belongs to several organizations. Choose one.')
  }
  const [name, details] = entries[0] ?? []
  return readOrganization(details?.id) ?? readOrganization(name)
}

const readName = ({ name, preferred_username, email }: Claims) =>
  [name, preferred_username, email].find(
    (each): each is string => typeof each === 'string' && each.trim() !== '' && each.length <= 200,
  )

/** Ids become headers of requests to the services, so only header text is accepted. */
function headerValue(value: unknown, claim: string): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > 200 || !printable.test(text)) {
    throw new Fault('FORBIDDEN', `The account has no valid claim ${claim}. Ask an administrator.`)
  }
  return text
}
