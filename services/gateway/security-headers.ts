const common: Record<string, string> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
}

/** A response that is no page needs nothing; pages set their own policy with a nonce. */
const strictPolicy =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Sets security headers. The policy of an API page of a service is kept; its framing is not. */
export function setSecurityHeaders(headers: Headers, secure: boolean) {
  for (const [name, value] of Object.entries(common)) headers.set(name, value)
  const isPage = headers.get('content-type')?.startsWith('text/html') ?? false
  if (!isPage || !headers.has('content-security-policy')) {
    headers.set('Content-Security-Policy', strictPolicy)
  }
  if (secure) headers.set('Strict-Transport-Security', 'max-age=31536000; includeSubDomains')
}
