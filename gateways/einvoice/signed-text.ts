// Signs and reads the QR codes of e-invoices: JWTs whose claim `data` is the content, as JSON text.
import { CompactSign, compactVerify, decodeProtectedHeader, importPKCS8, importSPKI, importX509 } from 'jose'

const ALGORITHM = 'RS256'
/** Longer is no QR code: the largest holds less than three thousand bytes. */
const LONGEST = 4_096

/** Signs as NIC does, with a private key in PEM. */
export async function signedContent(privateKey: string, issuer: string, content: object): Promise<string> {
  const key = await importPKCS8(privateKey, ALGORITHM)
  const claims = { data: JSON.stringify(content), iss: issuer }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .sign(key)
}

/** The content; null where the text is too long, or was not signed with the key of this public key or certificate in PEM. */
export async function verifiedContent(publicKey: string, signed: string): Promise<Record<string, unknown> | null> {
  if (signed.length > LONGEST) return null
  try {
    if (decodeProtectedHeader(signed).alg !== ALGORITHM) return null
    const isCertificate = publicKey.includes('BEGIN CERTIFICATE')
    const key = await (isCertificate ? importX509(publicKey, ALGORITHM) : importSPKI(publicKey, ALGORITHM))
    const { payload } = await compactVerify(signed, key, { algorithms: [ALGORITHM] })
    const { data } = JSON.parse(new TextDecoder().decode(payload)) as { data?: unknown }
    const content: unknown = typeof data === 'string' ? JSON.parse(data) : data
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : null
  } catch {
    return null
  }
}
