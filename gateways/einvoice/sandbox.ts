// The built-in portal, for trying e-invoices without one: computes IRNs, signs QR codes, and refuses as NIC does.
import { createPublicKey } from 'node:crypto'
import { DUPLICATE_IRN, errorOf } from '../../domain/e-invoice/error-codes.ts'
import { isCancellable } from '../../domain/e-invoice/irn.ts'
import { qrContent } from '../../domain/e-invoice/signed-qr.ts'
import { irnOf } from './irn-hash.ts'
import { payloadErrors } from './payload-errors.ts'
import type { EInvoiceProvider, Refused, Registration } from './provider.ts'
import { signedContent, verifiedContent } from './signed-text.ts'

/** What the portal has registered for an organisation. */
export interface SandboxRegister {
  /** False, and no change, where the IRN is there already. */
  add(registration: Registration): Promise<boolean>
  find(irn: string): Promise<Registration | null>
  cancel(irn: string): Promise<void>
}

export interface SandboxOptions {
  register: SandboxRegister
  /** The private key of the installation, in PEM. */
  signingKey: string
  clock(): Date
}

const ISSUER = 'SANDBOX'

export function createSandbox({ register, signingKey, clock }: SandboxOptions): EInvoiceProvider {
  const publicKey = createPublicKey(signingKey).export({ type: 'spki', format: 'pem' }).toString()
  const refused = (code: string): Refused => ({ did: 'REFUSED', errors: [errorOf(code)] })

  return {
    async generate(payload) {
      const errors = payloadErrors(payload)
      if (errors.length > 0) return { did: 'REFUSED', errors }
      const { SellerDtls, DocDtls } = payload
      const date = DocDtls.Dt.split('/').reverse().join('-')
      const irn = irnOf({ gstin: SellerDtls.Gstin, type: DocDtls.Typ, number: DocDtls.No, date })
      // Portals keep seconds.
      const acknowledged = new Date(Math.floor(clock().getTime() / 1_000) * 1_000)
      const registration = {
        irn,
        ackNo: ackNoOf(irn),
        acknowledged,
        signedQr: await signedContent(signingKey, ISSUER, qrContent(payload, irn, acknowledged)),
        isCancelled: false,
      }
      return (await register.add(registration)) ? { did: 'REGISTERED', registration } : refused(DUPLICATE_IRN)
    },

    async cancel(irn) {
      const found = await register.find(irn)
      if (!found) return refused('2148')
      if (found.isCancelled) return refused('9999')
      if (!isCancellable(found.acknowledged, clock())) return refused('2270')
      await register.cancel(irn)
      return { did: 'CANCELLED', at: clock() }
    },

    find: (irn) => register.find(irn),
    findByDocument: (details) => register.find(irnOf(details)),
    readQr: (signedQr) => verifiedContent(publicKey, signedQr),
  }
}

// Fifteen digits, as NIC's; they follow from the IRN, so that a document has the same ones whenever it is asked for.
const ackNoOf = (irn: string) => `99${String(BigInt(`0x${irn.slice(0, 16)}`) % 10n ** 13n).padStart(13, '0')}`
