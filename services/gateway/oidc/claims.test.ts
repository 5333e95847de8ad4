import { describe, expect, test } from 'vitest'
import { identityFromClaims } from './claims.ts'
import { type ClaimMapping, parseGrants } from './config.ts'

const mapping = (overrides: Partial<ClaimMapping>): ClaimMapping => ({
  userClaim: 'sub',
  organizationClaim: 'organization_id',
  defaultOrganization: undefined,
  rolesClaim: 'roles',
  grants: parseGrants('attorneys=lawyer,partners=firm_admin,partners=platform:manage'),
  ...overrides,
})

/** Claims in the documented formats of the providers, with invented people. */
const keycloak = {
  exp: 1793188800,
  iat: 1793188500,
  auth_time: 1793188499,
  jti: 'onrtac:5cde2b5f-8c4c-9a3e-6f4d-1d2c3b4a5f60',
  iss: 'https://sso.firm.example/realms/firm',
  aud: 'legal-suite',
  sub: '0f5f0b2e-5f5e-4f0a-9d0b-0c7c7d2b1a11',
  typ: 'ID',
  azp: 'legal-suite',
  sid: '6f0a3a0e-6d55-4d65-8f6c-5d1d6b0c9e1f',
  acr: '1',
  email_verified: true,
  name: '林 律师',
  preferred_username: 'lin',
  organization: { 'firm-a': { id: '42c3e46f-2477-44d7-a85b-d3b43f6b31fa' } },
  realm_access: { roles: ['default-roles-firm', 'offline_access', 'attorneys'] },
  resource_access: { account: { roles: ['manage-account'] } },
}
const entra = {
  aud: '6731de76-14a6-49ae-97bc-6eba6914391e',
  iss: 'https://login.microsoftonline.com/9122040d-6c67-4c5b-b112-36a304b66dad/v2.0',
  iat: 1793188500,
  nbf: 1793188500,
  exp: 1793192400,
  aio: 'AXQAi/8TAAAA',
  name: 'Zhou Ping',
  oid: '00000000-0000-0000-66f3-3332eca7ea81',
  preferred_username: 'zhou@firm.example',
  rh: '0.AV0A',
  roles: ['partners'],
  sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
  tid: '9122040d-6c67-4c5b-b112-36a304b66dad',
  uti: 'fqiBqXLPj0eQa82S-IYFAA',
  ver: '2.0',
}
const okta = {
  sub: '00uid4BxXw6I6TV4m0g3',
  name: 'Chen Xiaoyu',
  email: 'chen@client.example',
  ver: 1,
  iss: 'https://firm.okta.example/oauth2/default',
  aud: '0oabucvyc38HLL1ef0h7',
  iat: 1793188500,
  exp: 1793192100,
  jti: 'ID.4eAWJOCMB3SX8XewDfVR',
  amr: ['pwd', 'mfa'],
  idp: '00ok1u7AsAkrwdZL3z0l3',
  preferred_username: 'chen@client.example',
  auth_time: 1793188400,
  at_hash: 'cpqKfdQA5eH891Ff5oJr_Q',
  groups: ['Everyone', 'attorneys', 'partners'],
  firm: 4711,
}
const authentik = {
  iss: 'https://auth.firm.example/application/o/legal-suite/',
  sub: '8f14e45fceea167a5a36dedd4bea2543b2a7d6a4f2c7a3f0a9c1d0b1e2f3a4b5',
  aud: 'Vb1wQ2sZ',
  exp: 1793188800,
  iat: 1793188500,
  auth_time: 1793188499,
  acr: 'goauthentik.io/providers/oauth2/default',
  amr: ['pwd'],
  email: 'wang@firm.example',
  email_verified: true,
  name: '',
  given_name: '',
  preferred_username: 'wang',
  nickname: 'wang',
  groups: ['authentik Admins', 'attorneys'],
  organization_id: 'firm-a',
}

describe('claims of providers', () => {
  test('Keycloak: realm roles and its organization become type and organization', () => {
    const claims = mapping({ organizationClaim: 'organization', rolesClaim: 'realm_access.roles' })
    expect(identityFromClaims(keycloak, claims)).toEqual({
      id: '0f5f0b2e-5f5e-4f0a-9d0b-0c7c7d2b1a11',
      name: '林 律师',
      organization_id: '42c3e46f-2477-44d7-a85b-d3b43f6b31fa',
      user_type: 'lawyer',
      permissions: [],
      superuser: false,
    })
  })

  test('Entra ID: app roles, object id and tenant id', () => {
    const claims = mapping({ userClaim: 'oid', organizationClaim: 'tid' })
    expect(identityFromClaims(entra, claims)).toMatchObject({
      id: '00000000-0000-0000-66f3-3332eca7ea81',
      organization_id: '9122040d-6c67-4c5b-b112-36a304b66dad',
      user_type: 'firm_admin',
      permissions: ['platform:manage'],
    })
  })

  test('Okta: groups, a numeric organization, the type with most rights', () => {
    const claims = mapping({ organizationClaim: 'firm', rolesClaim: 'groups' })
    expect(identityFromClaims(okta, claims)).toMatchObject({
      organization_id: '4711',
      user_type: 'firm_admin',
    })
  })

  test('Authentik: groups, and the user name where the name is empty', () => {
    const claims = mapping({ rolesClaim: 'groups' })
    expect(identityFromClaims(authentik, claims)).toMatchObject({
      name: 'wang',
      organization_id: 'firm-a',
      user_type: 'lawyer',
    })
  })
})

describe('claims that must not sign in', () => {
  test.each([
    ['no organization', { sub: 'a' }],
    ['several organizations', { sub: 'a', organization_id: ['x', 'y'] }],
    ['no user', { organization_id: 'x' }],
    ['a line end in the user id', { sub: 'a\r\nX-Is-Superuser: true', organization_id: 'x' }],
    ['a user id that is no header text', { sub: '林', organization_id: 'x' }],
    ['an empty organization', { sub: 'a', organization_id: '' }],
  ])('%s is refused', (_, claims) => {
    expect(() => identityFromClaims(claims, mapping({}))).toThrow(/account/)
  })

  test('an email address that is not verified is no user id', () => {
    const claims = { sub: 'a', email: 'lin@firm.example', organization_id: 'x' }
    const byEmail = mapping({ userClaim: 'email' })
    expect(identityFromClaims(claims, byEmail).id).toBe('lin@firm.example')
    expect(() => identityFromClaims({ ...claims, email_verified: false }, byEmail)).toThrow(
      /not verified/,
    )
  })

  test('a role that is not configured grants nothing, and inherited members are no claims', () => {
    const claims = { sub: 'a', organization_id: 'x', roles: ['superuser', 'operator', 7] }
    expect(identityFromClaims(claims, mapping({}))).toMatchObject({
      user_type: 'client',
      permissions: [],
      superuser: false,
    })
    expect(() =>
      identityFromClaims({ sub: 'a' }, mapping({ organizationClaim: 'constructor.name' })),
    ).toThrow()
  })

  test('grants that are no type, permission or superuser are a configuration error', () => {
    expect(() => parseGrants('a=root')).toThrow(/OIDC_ROLE_GRANTS/)
    expect(() => parseGrants('lawyer')).toThrow(/OIDC_ROLE_GRANTS/)
    expect(parseGrants(' staff = superuser ')).toEqual([
      { role: 'staff', grant: { superuser: true } },
    ])
  })
})
