// Payments and their allocations. Amounts are minor units of the payment's currency.
import type { Flow, PaymentType } from '../domain/posting/payment.ts'
import { hasMany } from './association.ts'
import type { PostingAccounts } from './document-context.ts'
import { latestRate } from './currency.ts'
import type { Statement } from './connection.ts'
import type { Lock, Scope } from './find.ts'
import {
  DATE,
  DECIMAL,
  MINOR,
  TEXT,
  UUID,
  columnsOf,
  UUIDS,
  VERSIONED,
  generated,
  model,
  orNull,
  textOf,
  type RowOf,
} from './model.ts'

export const payments = model('payments', {
  org_id: UUID,
  id: UUID,
  payment_number: TEXT,
  flow: textOf<Flow>(),
  payment_type: textOf<PaymentType>(),
  contact_id: UUID,
  contact_name: TEXT,
  date: DATE,
  amount: MINOR,
  mode: TEXT,
  reference_number: orNull(TEXT),
  description: orNull(TEXT),
  bank_account_id: UUID,
  currency_code: TEXT,
  exchange_rate: DECIMAL,
  bank_charges: MINOR,
  tds_amount: MINOR,
  allocated: MINOR,
  unapplied: generated(MINOR),
  /** Cost centers. */
  tags: UUIDS,
  ...VERSIONED,
})
export type PaymentRow = RowOf<typeof payments>

export const paymentAllocations = model('payment_allocations', {
  org_id: UUID,
  id: UUID,
  payment_id: UUID,
  invoice_id: orNull(UUID),
  bill_id: orNull(UUID),
  amount: MINOR,
  /** By how much it reduced the document in the ledger, in minor units of the organisation's currency. */
  settled_base: MINOR,
  /** By how much it reduced the payment in the ledger, in the same units. */
  relieved_base: MINOR,
  /** The date on which it was applied later; null for an allocation made with the payment. */
  applied_date: orNull(DATE),
})
export type AllocationRow = RowOf<typeof paymentAllocations>

const allocations = hasMany(payments, 'allocations', paymentAllocations, { by: 'payment_id', order: ['id'] })

/** A payment with its allocations in the order in which they were made. */
export interface Payment extends PaymentRow {
  allocations: AllocationRow[]
}

export const findPayment = (scope: Scope, id: string, lock: Lock = ''): Promise<Payment | null> =>
  allocations.findWith(scope, id, lock)

/** Adds their allocations to many payments, and reads pages of payments with them. */
export const paymentParts = allocations.parts

/**
 * Locks the payments that are allocated to an invoice or a bill, in the order of their ids; returns the accounts that
 * releasing them may post to.
 */
export async function lockPaymentsOn(
  { connection, orgId }: Scope,
  documentId: string,
): Promise<Pick<PostingAccounts, 'roles'>> {
  const [accounts] = await connection.run<Pick<PostingAccounts, 'roles'>>(LOCK_PAYMENTS_ON, [orgId, documentId])
  return accounts!
}

/** A payment, and what of it is allocated to one document. */
export interface PaymentOn extends PaymentRow {
  allocation_id: string
  taken: bigint
  settled_base: bigint
  relieved_base: bigint
}

/** The allocations to an invoice or a bill that is locked already, with their payments, all locked. */
export function paymentsOn({ connection, orgId }: Scope, documentId: string): Promise<PaymentOn[]> {
  return connection.run<PaymentOn>(ALLOCATIONS_TO, [orgId, documentId])
}

/** By how much payments and credits have reduced documents in the ledger so far, by the document's id; a document without any is missing. */
export async function settledInBase({ connection, orgId }: Scope, documentIds: string[]): Promise<Map<string, bigint>> {
  const rows = await connection.run<{ id: string; settled: bigint }>(SETTLED, [orgId, documentIds])
  return new Map(rows.map(({ id, settled }) => [id, settled]))
}

export interface PaymentContextRequest {
  contactId: string
  /** Null for the organisation's first one. */
  bankAccountId: string | null
  tags: string[]
  /** The rate to look up as of the date, `from` null for the contact's currency; null where no rate is needed. */
  rate: { from: string | null; to: string; date: string } | null
  /** What makes a payment of the contact a possible duplicate; null where none is looked for. */
  alike: { flow: Flow; amount: bigint; currency: string; from: string; to: string; reference: string } | null
}

/** What a payment is recorded from. A record that the organisation does not have is null. */
export interface PaymentContext extends Pick<PostingAccounts, 'roles'> {
  contact: { id: string; contact_name: string; contact_type: string; currency_code: string } | null
  bank_account_id: string | null
  tags_found: number
  /** How many of them are closed. */
  tags_closed: number
  /** The latest rate of the requested pair. */
  latest_rate: string | null
  /** The newest payments of the contact of this flow and amount around the date, except those with another reference. */
  alike: SimilarPayment[]
}

export type SimilarPayment = Pick<PaymentRow, 'id' | 'date' | 'payment_number' | 'reference_number'>

export async function readPaymentContext(
  { connection, orgId }: Scope,
  request: PaymentContextRequest,
): Promise<PaymentContext> {
  const { contactId, bankAccountId, tags, rate, alike } = request
  const [context] = await connection.run<PaymentContext>(CONTEXT, [
    orgId,
    contactId,
    bankAccountId,
    alike?.flow,
    alike?.amount.toString(),
    alike?.currency,
    alike?.from,
    alike?.to,
    alike?.reference,
    tags,
    rate?.from,
    rate?.to,
    rate?.date,
  ])
  return context!
}

const ROLES = '(SELECT json_object_agg(role, id) FROM accounts WHERE org_id = $1 AND role IS NOT NULL) AS roles'
const LOCK_PAYMENTS_ON = {
  name: 'lock payments on a document',
  text: `WITH locked AS MATERIALIZED (
           SELECT id FROM payments WHERE org_id = $1 AND id IN (
             SELECT payment_id FROM payment_allocations WHERE org_id = $1 AND (invoice_id = $2 OR bill_id = $2))
           ORDER BY id FOR UPDATE)
         SELECT (SELECT count(*) FROM locked), ${ROLES}`,
}
const ALLOCATIONS_TO = {
  name: 'allocations to a document, locked',
  text: `SELECT ${columnsOf(payments, 'p')}, a.id AS allocation_id, a.amount AS taken, a.settled_base, a.relieved_base
         FROM payment_allocations AS a JOIN payments AS p ON p.org_id = a.org_id AND p.id = a.payment_id
         WHERE a.org_id = $1 AND (a.invoice_id = $2 OR a.bill_id = $2) ORDER BY p.id, a.id FOR UPDATE`,
}
const SETTLED = {
  name: 'settled in base',
  text: `SELECT id, sum(settled_base)::bigint AS settled FROM (
           SELECT invoice_id AS id, settled_base FROM payment_allocations WHERE org_id = $1 AND invoice_id = ANY ($2::uuid[])
           UNION ALL
           SELECT bill_id, settled_base FROM payment_allocations WHERE org_id = $1 AND bill_id = ANY ($2::uuid[])
           UNION ALL
           SELECT invoice_id, settled_base FROM credit_applications WHERE org_id = $1 AND invoice_id = ANY ($2::uuid[])
           UNION ALL
           SELECT bill_id, settled_base FROM credit_applications WHERE org_id = $1 AND bill_id = ANY ($2::uuid[])) AS s
         GROUP BY id`,
}
// A point of sale may take the same amount from the same customer a thousand times; the rule needs the first match.
const MAX_ALIKE = 5
const CONTEXT: Statement = {
  name: 'payment context',
  takesNoLock: true,
  text: `SELECT
  (SELECT row_to_json(c) FROM (
     SELECT id, contact_name, contact_type, currency_code FROM contacts WHERE org_id = $1 AND id = $2) AS c) AS contact,
  (SELECT id FROM accounts
   WHERE org_id = $1 AND account_type IN ('BANK', 'CASH') AND CASE WHEN $3::uuid IS NULL THEN is_active ELSE id = $3 END
   ORDER BY role IS NOT DISTINCT FROM 'BANK' DESC, code LIMIT 1) AS bank_account_id,
  ${ROLES},
  (SELECT count(*)::integer FROM cost_centers WHERE org_id = $1 AND id = ANY ($10::uuid[])) AS tags_found,
  (SELECT count(*)::integer FROM cost_centers WHERE org_id = $1 AND id = ANY ($10::uuid[]) AND NOT is_active) AS tags_closed,
  ${latestRate('coalesce($11::text, (SELECT currency_code FROM contacts WHERE org_id = $1 AND id = $2))', '$12::text', '$13')} AS latest_rate,
  (SELECT coalesce(json_agg(p), '[]') FROM (
     SELECT id, date, payment_number, reference_number FROM payments
     WHERE org_id = $1 AND contact_id = $2 AND flow = $4::text AND amount = $5::bigint AND currency_code = $6::text
       AND date BETWEEN $7::date AND $8::date
       AND (btrim($9::text) = '' OR lower(btrim(coalesce(reference_number, ''))) IN ('', lower(btrim($9::text))))
     ORDER BY created_time DESC, id DESC LIMIT ${MAX_ALIKE}) AS p) AS alike`,
}
