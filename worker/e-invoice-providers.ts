// The portals for e-invoices of this installation: the built-in one, and those that branches have credentials for.
import { createHash, generateKeyPairSync } from 'node:crypto'
import type { EInvoiceProviderOf } from '../activities/e-invoices.ts'
import { createIrp } from '../gateways/einvoice/irp.ts'
import type { IrpCredentials } from '../gateways/einvoice/irp-session.ts'
import type { EInvoiceProvider } from '../gateways/einvoice/provider.ts'
import { createSandbox, type SandboxRegister } from '../gateways/einvoice/sandbox.ts'
import type { Database } from '../models/database.ts'
import { findSealedCredentials } from '../models/e-invoice.ts'
import type { Scope } from '../models/find.ts'
import {
  addSandboxEInvoice,
  cancelSandboxEInvoice,
  findSandboxEInvoice,
  installationKey,
} from '../models/sandbox-e-invoice.ts'
import type { Sealer } from '../models/sealed.ts'

interface ProvidersDependencies {
  connection: Database
  sealer: Sealer
  timeoutMs: number
  clock(): Date
}

const SANDBOX_KEY = 'e-invoice sandbox'
/** Sessions that are kept; a session costs one request to open again. */
const MOST_SESSIONS = 200

export function eInvoiceProviders({ connection, sealer, timeoutMs, clock }: ProvidersDependencies): EInvoiceProviderOf {
  let signingKey: Promise<string> | null = null
  const sessions = new Map<string, EInvoiceProvider>()

  async function readKey(): Promise<string> {
    const sealed = await installationKey(connection, SANDBOX_KEY, () => sealer.seal(newSigningKey()), clock())
    return sealer.unseal(sealed)
  }

  async function sandboxOf(scope: Scope): Promise<EInvoiceProvider> {
    signingKey ??= readKey().catch((error: unknown) => {
      signingKey = null
      throw error
    })
    return createSandbox({ register: registerOf(scope), signingKey: await signingKey, clock })
  }

  // By the sealed text too, so that new credentials open a new session.
  function irpOf(sealed: string, gstin: string): EInvoiceProvider | null {
    const key = createHash('sha256').update(`${gstin} ${sealed}`).digest('hex')
    const known = sessions.get(key)
    if (known) return known
    const credentials = opened(sealer, sealed)
    if (!credentials) return null
    if (sessions.size >= MOST_SESSIONS) sessions.clear()
    const made = createIrp({ credentials, gstin, timeoutMs, clock })
    sessions.set(key, made)
    return made
  }

  return async ({ orgId, branchId, gstin, provider }) => {
    const scope = { connection, orgId }
    if (provider === 'sandbox') return sandboxOf(scope)
    const sealed = await findSealedCredentials(scope, branchId)
    return sealed === null ? null : irpOf(sealed, gstin)
  }
}

function opened(sealer: Sealer, sealed: string): IrpCredentials | null {
  try {
    return JSON.parse(sealer.unseal(sealed)) as IrpCredentials
  } catch {
    return null
  }
}

const newSigningKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

function registerOf(scope: Scope): SandboxRegister {
  return {
    add: ({ irn, ackNo, acknowledged, signedQr, isCancelled }) =>
      addSandboxEInvoice(scope, {
        irn,
        ack_no: ackNo,
        ack_date: acknowledged,
        signed_qr: signedQr,
        is_cancelled: isCancelled,
      }),
    async find(irn) {
      const row = await findSandboxEInvoice(scope, irn)
      return (
        row && {
          irn,
          ackNo: row.ack_no,
          acknowledged: row.ack_date,
          signedQr: row.signed_qr,
          isCancelled: row.is_cancelled,
        }
      )
    },
    cancel: (irn) => cancelSandboxEInvoice(scope, irn),
  }
}
