// What is printed beside the document itself: who wrote it, who it is for, what it refers to, as one value with its hash.
import { factsOf, kindsThatHave, type DocumentKind, type PrintedKind } from '../../domain/documents.ts'
import type { Surroundings } from '../../domain/print/printed-source.ts'
import type { InvoiceTemplate } from '../../domain/preferences.ts'
import type { Statement } from '../../models/connection.ts'

/** What the key of a rendered file is made of. `hash` is that of the surroundings. */
export interface PrintedHead {
  version: number
  number: string
  invoice_template: InvoiceTemplate | null
  hash: string
}

// What documents are made from. Notes name in the registry what they are given against.
const MADE_FROM: Partial<Record<PrintedKind, DocumentKind[]>> = {
  INVOICE: ['SALES_ORDER', 'ESTIMATE'],
  BILL: ['PURCHASE_ORDER'],
}

const source = (kind: DocumentKind, total: string, amount: string, more = '') =>
  `jsonb_build_object('kind', '${kind}', 'number', s.${factsOf(kind).number}, 'date', s.date, 'total', ${total}, 'amount', ${amount}${more})`

// See OwedTax. The names fill a line of the voucher.
const MOST_NAMES = 10
const OWED = `(SELECT jsonb_build_object('place_of_supply', s.place_of_supply,
    'branch_state', (SELECT state FROM branches WHERE org_id = $1 AND id = s.branch_id),
    'names', (SELECT jsonb_agg(name ORDER BY line_no) FROM (
      SELECT name, line_no FROM bill_lines WHERE org_id = $1 AND bill_id = s.id AND rcm_cgst + rcm_sgst + rcm_igst + rcm_cess > 0
      ORDER BY line_no LIMIT ${MOST_NAMES}) AS first),
    'taxes', jsonb_agg(jsonb_build_object('rate', rate, 'cess_rate', cess_rate, 'cgst', cgst, 'sgst', sgst, 'igst', igst, 'cess', cess) ORDER BY rate, cess_rate))
  FROM (SELECT l.tax_percentage::text AS rate, coalesce(t.cess, 0)::text AS cess_rate, sum(l.rcm_cgst)::text AS cgst,
      sum(l.rcm_sgst)::text AS sgst, sum(l.rcm_igst)::text AS igst, sum(l.rcm_cess)::text AS cess
    FROM bill_lines AS l LEFT JOIN taxes AS t ON t.org_id = l.org_id AND t.id = l.tax_id
    WHERE l.org_id = $1 AND l.bill_id = s.id AND l.rcm_cgst + l.rcm_sgst + l.rcm_igst + l.rcm_cess > 0 GROUP BY 1, 2) AS by_rate
  HAVING count(*) > 0)`

// What is given back names by its reference the receipt that it was taken with.
const REFUNDED = `SELECT s.id, ${source('PAYMENT', 'NULL', 'NULL')} AS one FROM payments AS s
  WHERE s.org_id = $1 AND d.flow = 'OUTGOING' AND d.payment_type = 'REFUND'
    AND s.flow = 'INCOMING' AND s.contact_id = d.contact_id AND s.payment_number = d.reference_number`

function sourcesOf(kind: PrintedKind): string {
  if (kind === 'PAYMENT') {
    const settled = (['INVOICE', 'BILL'] as const).map(
      (
        of,
      ) => `SELECT a.id, ${source(of, 's.total::text', 'a.amount::text', of === 'BILL' ? `, 'owed', ${OWED}` : '')} AS one FROM payment_allocations AS a
        JOIN ${factsOf(of).table} AS s ON s.org_id = a.org_id AND s.id = a.${factsOf(of).id} WHERE a.org_id = $1 AND a.payment_id = d.id`,
    )
    return `(SELECT coalesce(jsonb_agg(one ORDER BY id), '[]') FROM (${[...settled, REFUNDED].join(' UNION ALL ')}) AS settled)`
  }
  const referred = MADE_FROM[kind] ?? (factsOf(kind).against as DocumentKind[] | undefined) ?? []
  const found = referred.map(
    (of) =>
      `SELECT ${source(of, 'NULL', 'NULL')} AS one FROM ${factsOf(of).table} AS s WHERE s.org_id = $1 AND s.id = d.${factsOf(of).id}`,
  )
  return found.length === 0
    ? "'[]'::jsonb"
    : `(SELECT coalesce(jsonb_agg(one ORDER BY one ->> 'kind' DESC), '[]') FROM (${found.join(' UNION ALL ')}) AS referred)`
}

const fields = (alias: string, names: string[]) => names.map((name) => `'${name}', ${alias}.${name}`).join(', ')

const ORGANIZATION = fields('o', [
  'name',
  'legal_name',
  'gstin',
  'pan',
  'email',
  'phone',
  'address',
  'state_code',
  'currency_code',
  'sandbox',
])
const BRANCH = fields('b', ['name', 'gstin', 'state', 'city', 'address', 'dispatch_address', 'is_default'])
const CONTACT = fields('c', [
  'legal_name',
  'company_name',
  'gst_no',
  'gst_treatment',
  'pan',
  'place_of_contact',
  'email',
  'phone',
  'billing_address',
  'shipping_address',
])

function surroundingsOf(kind: PrintedKind): string {
  const facts = factsOf(kind)
  const branch = facts.hasBranch ? 'b.id = d.branch_id' : 'b.is_default'
  const account =
    kind === 'PAYMENT' ? '(SELECT name FROM accounts WHERE org_id = $1 AND id = d.bank_account_id)' : 'NULL'
  return `jsonb_build_object(
    'organization', (SELECT jsonb_build_object(${ORGANIZATION}) FROM organizations AS o WHERE o.id = $1),
    'branch', (SELECT jsonb_build_object(${BRANCH}) FROM branches AS b WHERE b.org_id = $1 AND ${branch}),
    'contact', (SELECT jsonb_build_object(${CONTACT}) FROM contacts AS c WHERE c.org_id = $1 AND c.id = d.${facts.party}),
    'pdf', p.pdf,
    'logo', (SELECT encode(sha256, 'hex') FROM logos WHERE org_id = $1),
    'sources', ${sourcesOf(kind)},
    'account', ${account})`
}

function headOf(kind: PrintedKind, shown: string, name: string): Statement {
  const { table, number } = factsOf(kind)
  return {
    name: `${name} of ${table}`,
    takesNoLock: true,
    text: `SELECT d.version, d.${number} AS number, p.invoice_template,
        encode(sha256(convert_to(around.surroundings::text, 'UTF8')), 'hex') AS hash${shown}
      FROM ${table} AS d LEFT JOIN organization_preferences AS p ON p.org_id = d.org_id
      CROSS JOIN LATERAL (SELECT ${surroundingsOf(kind)} AS surroundings) AS around
      WHERE d.org_id = $1 AND d.id = $2`,
  }
}

const byKind = (made: (kind: PrintedKind) => Statement) =>
  Object.fromEntries(kindsThatHave('isPrinted').map((kind) => [kind, made(kind)])) as Record<PrintedKind, Statement>

/** Reads a PrintedHead; $1 is the organisation, $2 the document. */
export const PRINTED_HEAD = byKind((kind) => headOf(kind, '', 'print key'))

/** As PRINTED_HEAD, with the surroundings themselves. */
export const WITH_SURROUNDINGS = byKind((kind) => headOf(kind, ', around.surroundings', 'surroundings'))
export type HeadWithSurroundings = PrintedHead & { surroundings: Surroundings }
