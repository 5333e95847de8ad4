import { get } from '../deps.ts'
import { listResponse, respondScim, scimContent, scimErrors } from './respond.ts'

const supported = (is: boolean) => ({ supported: is })
const responses = { 200: scimContent, 401: scimErrors[401], 404: scimErrors[404] }

const providerConfig = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: supported(true),
  bulk: { ...supported(false), maxOperations: 0, maxPayloadSize: 0 },
  filter: { ...supported(true), maxResults: 200 },
  changePassword: supported(false),
  sort: supported(false),
  etag: supported(false),
  authenticationSchemes: [
    { type: 'oauthbearertoken', name: 'Bearer token', description: 'The value of SCIM_TOKEN.' },
  ],
}

const resourceTypes = ['User', 'Group'].map((name) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  endpoint: `/${name}s`,
  schema: `urn:ietf:params:scim:schemas:core:2.0:${name}`,
}))

export const scimDiscovery = [
  get('/scim/v2/ServiceProviderConfig', { summary: 'Get the SCIM configuration', responses }, (c) =>
    respondScim(c, async () => providerConfig),
  ),
  get('/scim/v2/ResourceTypes', { summary: 'List the SCIM resource types', responses }, (c) =>
    respondScim(c, async () => listResponse(resourceTypes, resourceTypes.length, 0)),
  ),
]
