// The activity of e-invoices: one look at the e-invoice of a document, which registers it at its portal or cancels it there.
import { openBooks, type WriteContext } from '../commands/books/open-books.ts'
import type { Caller } from '../commands/books/caller.ts'
import { settleEInvoice, type KeptRegistration, type Settlement } from '../commands/e-invoices/settle-e-invoice.ts'
import { readEInvoiceSource, type ReadSource } from '../commands/e-invoices/source.ts'
import { DUPLICATE_IRN, errorOf, type EInvoiceError } from '../domain/e-invoice/error-codes.ts'
import type { DocumentDetails } from '../domain/e-invoice/irn.ts'
import { eInvoicePayload } from '../domain/e-invoice/payload.ts'
import type { EInvoicePayload } from '../domain/e-invoice/payload-shape.ts'
import { qrDifferences } from '../domain/e-invoice/signed-qr.ts'
import { GIVE_UP_MS, waitAfter, type Attended, type EInvoiceInput } from '../domain/e-invoice/state.ts'
import { supplyTypeOf } from '../domain/e-invoice/supply.ts'
import { irnOf } from '../gateways/einvoice/irn-hash.ts'
import { payloadErrors } from '../gateways/einvoice/payload-errors.ts'
import { EInvoiceUnavailable, type EInvoiceProvider, type Registration } from '../gateways/einvoice/provider.ts'
import type { Database } from '../models/database.ts'
import { findEInvoiceRow, noteAttempt, type EInvoiceRow } from '../models/e-invoice.ts'
import { findOrganizationFacts, organizationUnchanged } from '../models/token.ts'
import { withHeartbeat } from './heartbeat.ts'
import { organizationTurns } from './turns.ts'
import { unknownRow } from './unknown-row.ts'

/** Finds the portal of a branch; null where its credentials are missing, or no key opens them. */
export type EInvoiceProviderOf = (branch: {
  orgId: string
  branchId: string
  gstin: string
  provider: 'sandbox' | 'irp'
}) => Promise<EInvoiceProvider | null>

export interface EInvoiceDependencies {
  connection: Database
  wakeRelay(): void
  clock(): Date
  eInvoiceProviderOf: EInvoiceProviderOf
  /** How long a document waits after the first time that its portal could not be used. */
  eInvoiceRetryMs: number
}

/** A portal may be slow; of one organisation few documents wait for it at once, so that those of others have places. */
const PLACES = { places: 30, placesPerKey: 4 }

/** A document, its portal and what it is to have there. */
interface Case {
  provider: EInvoiceProvider
  name: 'sandbox' | 'irp'
  details: DocumentDetails
  payload: EInvoicePayload
  irn: string
}

export function eInvoiceActivities({
  connection,
  wakeRelay,
  clock,
  eInvoiceProviderOf,
  eInvoiceRetryMs,
}: EInvoiceDependencies) {
  const writeContext: WriteContext = { database: connection, wakeRelay, forgetCallers: () => undefined, clock }
  const inTurn = organizationTurns(PLACES)

  async function settle({ orgId, kind, id }: EInvoiceInput, settlement: Settlement): Promise<Attended> {
    const organization = await findOrganizationFacts(connection, orgId)
    if (!organization) throw unknownRow(`there is no organisation ${orgId}`, 'UnknownOrganization')
    const caller: Caller = {
      subject: '',
      kind: 'SYSTEM',
      tier: 'DEFAULT',
      scopes: [],
      userId: null,
      partnerId: null,
      organization,
      origin: { request_id: null, ip: null, user_agent: null, source: 'E_INVOICE' },
      precondition: () => organizationUnchanged(organization),
    }
    const status = await openBooks(writeContext, caller, (books) => settleEInvoice(books, kind, id, settlement))
    return { status, waitMs: status === 'CANCELLING' ? 0 : null }
  }

  /** What the document is registered with; or why it cannot be, or need not. */
  async function caseOf({ orgId }: EInvoiceInput, row: EInvoiceRow, read: ReadSource): Promise<Case | Settlement> {
    const { source, choice, isSandbox } = read
    const was = row.status
    const { gstin } = source.supplier
    const chargesTax = source.tax_total > 0n
    const isTaxed = source.lines.some(({ tax_percentage: percent }) => Number(percent) > 0)
    const type = supplyTypeOf({ supplierGstin: gstin, buyer: source.buyer, isTaxed, chargesTax })
    if (was === 'PENDING' && (!choice?.enabled || type === null)) return { was, status: 'NOT_APPLICABLE' }
    if (!gstin || type === null) return { was, status: 'NOT_APPLICABLE' }
    const payload = eInvoicePayload(source, type)
    const errors = was === 'PENDING' ? payloadErrors(payload) : []
    if (errors.length > 0) return { was, status: 'FAILED', errors }
    const name = isSandbox ? 'sandbox' : (row.provider ?? choice?.provider ?? 'sandbox')
    const provider = await eInvoiceProviderOf({ orgId, branchId: row.branch_id, gstin, provider: name })
    if (!provider) return unregistered(row, [NO_CREDENTIALS])
    const details = { gstin, type: source.type, number: source.number, date: source.date }
    return { provider, name, details, payload, irn: irnOf(details) }
  }

  async function ask(input: EInvoiceInput, row: EInvoiceRow): Promise<Settlement> {
    const read = await readEInvoiceSource({ connection, orgId: input.orgId }, input.kind, input.id)
    if (!read) return { was: row.status, status: 'NOT_APPLICABLE' }
    const found = await caseOf(input, row, read)
    if ('status' in found) return found
    return row.status === 'PENDING' ? register(row, found) : cancel(row, found)
  }

  return {
    /**
     * Looks at the e-invoice of a document, and does what its row says is to be done. Run again after a crash, the portal finds
     * the document that it has registered by its number, so it gets one IRN.
     */
    async attendEInvoice(input: EInvoiceInput): Promise<Attended> {
      const scope = { connection, orgId: input.orgId }
      return withHeartbeat(async () => {
        const row = await findEInvoiceRow(scope, input.id)
        if (!row) throw unknownRow(`there is no e-invoice ${input.id}`, 'UnknownEInvoice')
        if (row.status !== 'PENDING' && row.status !== 'CANCELLING') return { status: row.status, waitMs: null }
        try {
          return await settle(input, await inTurn(input.orgId, () => ask(input, row)))
        } catch (error) {
          if (!(error instanceof EInvoiceUnavailable)) throw error
          const now = clock()
          const attempts = await noteAttempt(scope, input.id, now, error.message)
          if (now.getTime() - row.last_modified_time.getTime() < GIVE_UP_MS)
            return { status: row.status, waitMs: waitAfter(attempts, eInvoiceRetryMs) }
          return settle(
            input,
            unregistered(row, [
              { code: 'UNAVAILABLE', message: 'The portal could not be used for three days.', field: null },
            ]),
          )
        }
      })
    },
  }
}

const NO_CREDENTIALS: EInvoiceError = {
  code: 'CREDENTIALS',
  message: 'The branch has no credentials at its portal, or they cannot be read; ask the operator of the service.',
  field: null,
}

// A cancellation that fails leaves what is registered as it is.
function unregistered({ status: was, irn }: EInvoiceRow, errors: EInvoiceError[]): Settlement {
  return { was, status: was === 'CANCELLING' && irn !== null ? 'GENERATED' : 'FAILED', errors }
}

async function register(row: EInvoiceRow, one: Case): Promise<Settlement> {
  const generated = await one.provider.generate(one.payload)
  if (generated.did === 'REGISTERED') return registered(row, one, generated.registration)
  if (!generated.errors.some(({ code }) => code === DUPLICATE_IRN)) return unregistered(row, generated.errors)
  // An earlier try was registered and its answer lost, or another document has the number.
  const found = await one.provider.find(one.irn)
  if (!found) return unregistered(row, generated.errors)
  if (found.isCancelled) {
    return unregistered(row, [errorOf(DUPLICATE_IRN, 'it was cancelled, and its number cannot be used again')])
  }
  return registered(row, one, found)
}

/** Believes a portal only what it has signed, and only of this very document. */
async function registered(row: EInvoiceRow, one: Case, registration: Registration): Promise<Settlement> {
  const { irn, ackNo, acknowledged, signedQr } = registration
  const content = irn === one.irn ? await one.provider.readQr(signedQr) : null
  if (irn !== one.irn) return unregistered(row, [response("The portal's IRN is not that of the document.")])
  if (!content) return unregistered(row, [response('The QR code was not signed by the portal.')])
  const differences = qrDifferences(content, one.payload, one.irn)
  if (differences.length > 0) {
    return unregistered(row, [
      errorOf(DUPLICATE_IRN, `the portal has another document by this number: ${differences.join(', ')} differ`),
    ])
  }
  const kept: KeptRegistration = {
    irn,
    ack_no: ackNo,
    ack_date: acknowledged,
    signed_qr: signedQr,
    gstin: one.details.gstin,
    provider: one.name,
  }
  return { was: row.status, status: 'GENERATED', registration: kept }
}

const response = (message: string): EInvoiceError => ({ code: 'RESPONSE', message, field: null })

async function cancel(row: EInvoiceRow, one: Case): Promise<Settlement> {
  if (row.irn !== null) return cancelled(row, one, row.irn, null)
  // The document was void before an answer came: perhaps it was registered all the same.
  const found = await one.provider.findByDocument(one.details)
  if (!found || found.isCancelled) return { was: row.status, status: 'NOT_APPLICABLE' }
  const settlement = await registered(row, one, found)
  if (!settlement.registration) return { was: row.status, status: 'NOT_APPLICABLE', errors: settlement.errors ?? [] }
  return cancelled(row, one, found.irn, settlement.registration)
}

/** The IRN is cancelled already. */
const NOT_ACTIVE = '9999'

async function cancelled(
  row: EInvoiceRow,
  { provider }: Case,
  irn: string,
  registration: KeptRegistration | null,
): Promise<Settlement> {
  const answer = await provider.cancel(irn, 'Cancelled in the books')
  const kept = registration ? { registration } : {}
  if (answer.did === 'CANCELLED') return { was: row.status, status: 'CANCELLED', cancelledAt: answer.at, ...kept }
  if (answer.errors.some(({ code }) => code === NOT_ACTIVE)) return { was: row.status, status: 'CANCELLED', ...kept }
  return { was: row.status, status: 'GENERATED', errors: answer.errors, ...kept }
}
