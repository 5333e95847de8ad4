export const webhooksPath = '/api/v1/webhooks'
