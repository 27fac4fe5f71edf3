// The secret of a webhook endpoint in the form of Standard Webhooks.

/**
 * The same secret as libraries of Standard Webhooks take it: `whsec_`, then its 32 random bytes in base64, which are the key
 * of the signature. The secret itself has these bytes in base64url, and is the key of X-Svc-Signature as a text.
 */
export function standardSecret(secret: string): string {
  const base64 = secret
    .replace(/^svc_whsec_/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  return `whsec_${base64}${'='.repeat((4 - (base64.length % 4)) % 4)}`
}
