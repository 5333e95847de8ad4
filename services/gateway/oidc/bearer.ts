import { errors, type JWTPayload } from 'jose'
import type { ServiceContext } from '../../_kit/context.ts'
import { Fault } from '../../_kit/fault.ts'
import { sha256Hex } from '../../_kit/hash.ts'
import type { Deps } from '../deps.ts'
import type { Principal } from '../principal.ts'
import { scopes as knownScopes } from '../scopes.ts'
import { isRemoved } from '../session-store.ts'
import { identityFromClaims } from './claims.ts'

/**
 * Authenticates an access token of the provider. Returns undefined for a token that is not valid here:
 * expired, of another issuer or audience, with a wrong signature, or no access token at all.
 */
export async function authenticateBearer(
  { sql, provider, kit }: ServiceContext<Deps>,
  token: string,
): Promise<Principal | undefined> {
  const audience = provider?.settings.audience
  if (!provider || audience === undefined) return undefined
  try {
    const claims = await provider.verify(sql, token, { audience })
    if (!isAccessToken(claims)) return undefined
    const identity = identityFromClaims(claims, provider.settings.claims)
    if (await isRemoved(sql, identity)) return undefined
    const id = uuidFromHash(await sha256Hex(token))
    const expiresAt = claims.exp! * 1_000
    return { identity, credential: { kind: 'token', id, scopes: scopesFrom(claims), expiresAt } }
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown
    if (thrown instanceof errors.JOSEError) {
      kit.log.info({ reason: thrown.code }, 'bearer token refused')
      return undefined
    }
    throw new Fault('UPSTREAM_UNAVAILABLE', 'The sign-in provider is not available. Try again.', {
      cause: thrown,
    })
  }
}

/**
 * ID tokens and logout tokens have the same issuer and keys; hashes of other tokens are in ID tokens only. A
 * token with `cnf` belongs to the key of its client, so whoever sends it as a bearer token has replayed it.
 */
const isAccessToken = ({ nonce, at_hash, c_hash, events, cnf, typ }: JWTPayload) =>
  [nonce, at_hash, c_hash, events, cnf].every((claim) => claim === undefined) &&
  !['ID', 'Refresh', 'Logout', 'Offline'].includes(String(typ))

/** Scopes of the suite that the token names. A token that names none has all rights of its person. */
function scopesFrom({ scope, scp }: JWTPayload): readonly string[] {
  const named = [scope, scp].flatMap((each) => (typeof each === 'string' ? each.split(' ') : each))
  const own = named.filter((each): each is string => knownScopes.includes(each as string))
  return own.length > 0 ? own : ['*']
}

/** Id of a token for its rate limit: the same for the same token. */
const uuidFromHash = (hash: string) =>
  hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
