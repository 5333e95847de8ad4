import { describe, expect, test } from 'vitest'
import { identityFromClaims } from './claims.ts'
import { type ClaimMapping, parseGrants } from './config.ts'

const mapping = (overrides: Partial<ClaimMapping>): ClaimMapping => ({
  userClaim: 'sub',
  organizationClaim: 'organization_id',
  defaultOrganization: 'firm-a',
  rolesClaim: 'roles',
  grants: parseGrants('attorneys=lawyer,partners=firm_admin,partners=platform:manage'),
  ...overrides,
})

/** Claims of access tokens and of large accounts in the documented formats, with invented people. */
const keycloak = {
  exp: 1793188800,
  iat: 1793188500,
  jti: 'onrtro:8d6a4f3e-2f0e-4a55-a9f4-35b1a5e2f1d0',
  iss: 'https://sso.firm.example/realms/firm',
  aud: ['legal-suite', 'account'],
  sub: '0f5f0b2e-5f5e-4f0a-9d0b-0c7c7d2b1a11',
  typ: 'Bearer',
  azp: 'legal.suite.cli',
  sid: '6f0a3a0e-6d55-4d65-8f6c-5d1d6b0c9e1f',
  acr: '1',
  'allowed-origins': ['https://suite.firm.example'],
  realm_access: { roles: ['offline_access', 'uma_authorization', 'default-roles-firm'] },
  resource_access: {
    'legal.suite.cli': { roles: ['partners'] },
    account: { roles: ['manage-account', 'view-profile'] },
  },
  scope: 'openid email profile',
  groups: ['/firm/attorneys'],
  organization: ['firm-a'],
  preferred_username: 'lin',
}
const entra = {
  aud: 'api://6731de76-14a6-49ae-97bc-6eba6914391e',
  iss: 'https://login.microsoftonline.com/9122040d-6c67-4c5b-b112-36a304b66dad/v2.0',
  iat: 1793188500,
  nbf: 1793188500,
  exp: 1793193153,
  azp: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
  azpacr: '1',
  name: 'Zhou Ping',
  oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
  preferred_username: 'zhou@firm.example',
  scp: 'access_as_user',
  sub: 'HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ',
  tid: '9122040d-6c67-4c5b-b112-36a304b66dad',
  uti: 'fqiBqXLPj0eQa82S-IYFAA',
  ver: '2.0',
}
const endpoint = `https://graph.microsoft.com/v1.0/users/${entra.oid}/getMemberObjects`
/** More than 200 groups: the token names an address in place of the groups. */
const overage = {
  ...entra,
  _claim_names: { groups: 'src1' },
  _claim_sources: { src1: { endpoint } },
}
const okta = {
  ver: 1,
  jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE',
  iss: 'https://firm.okta.example/oauth2/default',
  aud: 'api://legal-suite',
  iat: 1793188500,
  exp: 1793192100,
  cid: '0oabucvyc38HLL1ef0h7',
  uid: '00uid4BxXw6I6TV4m0g3',
  scp: ['openid', 'profile'],
  auth_time: 1793188400,
  sub: 'chen@client.example',
  groups: ['Everyone', 'attorneys'],
  'https://firm.example/organization': 'firm-b',
}
const authentik = {
  iss: 'https://auth.firm.example/application/o/legal-suite/',
  sub: '8f14e45fceea167a5a36dedd4bea2543b2a7d6a4f2c7a3f0a9c1d0b1e2f3a4b5',
  aud: 'Vb1wQ2sZ',
  azp: 'Vb1wQ2sZ',
  uid: 'zNvCsQm2GCTpDqsSFzcMdVlCQBfY0Vqv',
  scope: 'openid email profile',
  exp: 1793188800,
  iat: 1793188500,
  auth_time: 1793188499,
  acr: 'goauthentik.io/providers/oauth2/default',
  preferred_username: 'wang',
  groups: ['attorneys'],
  ak_proxy: { user_attributes: { settings: { locale: 'zh' }, firm: { id: 'firm-c' } } },
  'https://firm.example/app': { roles: ['partners'] },
}

describe('claims of access tokens', () => {
  test('Keycloak: roles of a client whose id has dots, and an organization as a list', () => {
    const claims = mapping({
      organizationClaim: 'organization',
      rolesClaim: 'resource_access.legal.suite.cli.roles',
      defaultOrganization: undefined,
    })
    expect(identityFromClaims(keycloak, claims)).toMatchObject({
      organization_id: 'firm-a',
      user_type: 'firm_admin',
      permissions: ['platform:manage'],
    })
  })

  test('Keycloak: groups with their full path', () => {
    const grants = parseGrants('/firm/attorneys=lawyer')
    const identity = identityFromClaims(keycloak, mapping({ rolesClaim: 'groups', grants }))
    expect(identity.user_type).toBe('lawyer')
  })

  test('Entra ID: a token without app roles is one of a client', () => {
    const claims = mapping({ userClaim: 'oid', organizationClaim: 'tid' })
    expect(identityFromClaims(entra, claims)).toMatchObject({
      id: entra.oid,
      organization_id: entra.tid,
      user_type: 'client',
    })
  })

  test.each([
    ['an address in place of the groups', overage],
    ['a mark in place of the groups', { ...entra, hasgroups: true }],
  ])('Entra ID: %s is refused instead of granting fewer rights', (_, claims) => {
    const groups = mapping({ rolesClaim: 'groups' })
    expect(() => identityFromClaims(claims, groups)).toThrow(/too many groups/)
    const appRoles = { ...claims, roles: ['attorneys'] }
    expect(identityFromClaims(appRoles, mapping({})).user_type).toBe('lawyer')
  })

  test('Okta: the user id is in `uid`, and custom claims have a namespace', () => {
    const claims = mapping({
      userClaim: 'uid',
      organizationClaim: 'https://firm.example/organization',
      rolesClaim: 'groups',
    })
    expect(identityFromClaims(okta, claims)).toMatchObject({
      id: '00uid4BxXw6I6TV4m0g3',
      organization_id: 'firm-b',
      user_type: 'lawyer',
    })
  })

  test('Authentik: nested attributes, and roles below a namespace with dots', () => {
    const claims = mapping({
      organizationClaim: 'ak_proxy.user_attributes.firm.id',
      rolesClaim: 'https://firm.example/app.roles',
    })
    expect(identityFromClaims(authentik, claims)).toMatchObject({
      organization_id: 'firm-c',
      user_type: 'firm_admin',
    })
  })
})
