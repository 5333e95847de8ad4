import { json, type Sql, textArray } from '../../_kit/sql/sql.ts'

/** SCIM names have no case, and providers may spell them otherwise than the directory. */
const lowerCase = (names: readonly string[]) => textArray(names.map((name) => name.toLowerCase()))

/**
 * Ends every session and API token of a person and refuses new ones, bearer tokens of the provider
 * included. A person who never signed in is refused too.
 */
export async function removePerson(tx: Sql, organization: string, names: readonly string[]) {
  const ids = lowerCase(names)
  await tx`
    insert into gateway.people (organization_id, user_id, identity, active)
    select ${organization}, name, ${json({})}, false from unnest(${textArray(names)}) name
    on conflict (organization_id, user_id) do nothing`
  await tx`
    update gateway.people set active = false, updated_at = now()
    where organization_id = ${organization} and lower(user_id) = any(${ids})`
  await tx`
    delete from gateway.sessions
    where organization_id = ${organization} and lower(user_id) = any(${ids})`
  await tx`
    delete from gateway.tokens
    where organization_id = ${organization} and lower(user_id) = any(${ids})`
}

/** Lets a person sign in again. Their earlier sessions and tokens stay ended. */
export const restorePerson = (tx: Sql, organization: string, names: readonly string[]) => tx`
  update gateway.people set active = true, updated_at = now()
  where organization_id = ${organization} and lower(user_id) = any(${lowerCase(names)})
    and not active`
