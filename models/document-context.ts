// Reads the context of a document in one query: its contact, branch, items, taxes, accounts, period and series.
import type { AccountRole } from '../domain/accounts.ts'
import type { Tax } from '../domain/gst.ts'
import type { NamedAccount } from './account.ts'
import { latestRate, type RatePair } from './currency.ts'
import type { Statement } from './connection.ts'
import type { Scope } from './find.ts'
import type { NumberSeriesRow } from './series.ts'

export interface DocumentContextRequest {
  contactId: string
  /** Null for the organisation's default branch. */
  branchId: string | null
  itemIds: string[]
  taxIds: string[]
  /** The accounts that lines of a purchase name. */
  accountIds: string[]
  tags: string[]
  /** The pair whose rate is looked up as of the date; null where the caller sent a rate, or none is needed. */
  rate: RatePair | null
  /** The document's date, which decides the accounting period, and with it the series. */
  date: string
  /** A number given by hand, to be looked up among the invoices of the branch. */
  invoiceNumber: string | null
}

/** The accounts that a posting goes to. */
export interface PostingAccounts {
  /** Their ids, by their role. */
  roles: Partial<Record<AccountRole, string>>
  /** The account named Round Off or Rounding (specification, "Round-off"). */
  round_off_account: string | null
}

export interface DocumentContext extends PostingAccounts {
  contact: {
    id: string
    contact_name: string
    contact_type: string
    payment_terms: number
    place_of_contact: string | null
    gst_no: string | null
    gst_treatment: string | null
    /** Of the billing address. */
    country: string | null
  } | null
  branch: {
    id: string
    state: string
    gstin: string | null
    invoice_prefix: string
    bill_prefix: string
    is_active: boolean
  } | null
  items: ContextItem[]
  taxes: (Tax & { id: string })[]
  /** The branch's series of the period that covers the date. */
  series: Pick<NumberSeriesRow, 'id' | 'series_name' | 'prefix' | 'padding' | 'format_template' | 'is_default'>[]
  /** Those of the requested accounts that the organisation has. */
  accounts: NamedAccount[]
  /** The latest rate of the requested pair. */
  latest_rate: string | null
  tags_found: number
  /** How many of them are closed. */
  tags_closed: number
  number_taken: boolean
}

export interface ContextItem {
  id: string
  item_name: string
  description: string | null
  hsn_or_sac: string | null
  unit: string | null
  rate: string
  purchase_rate: string
  tax_id: string | null
  account_id: string | null
  purchase_account_id: string | null
}

/** Reads all of it in one round trip. Records that the organisation does not have are missing from the result. */
export async function readDocumentContext(scope: Scope, request: DocumentContextRequest): Promise<DocumentContext> {
  const { accountIds, rate, tags, invoiceNumber } = request
  const asked: Asked = {
    accounts: accountIds.length > 0,
    rate: rate !== null,
    tags: tags.length > 0,
    number: invoiceNumber !== null,
  }
  const [context] = await scope.connection.run<DocumentContext>(statementFor(asked), [
    scope.orgId,
    request.contactId,
    request.branchId,
    request.itemIds,
    request.taxIds,
    request.date,
    ...(asked.accounts ? [accountIds] : []),
    ...(rate ? [rate.from, rate.to] : []),
    ...(asked.tags ? [tags] : []),
    ...(asked.number ? [invoiceNumber] : []),
  ])
  return context!
}

/** Reads the accounts alone, where everything else is on the document already. */
export async function readPostingAccounts(scope: Scope): Promise<PostingAccounts> {
  const [accounts] = await scope.connection.run<PostingAccounts>(POSTING_ACCOUNTS, [scope.orgId])
  return accounts!
}

const ACCOUNTS = `
  (SELECT json_object_agg(role, id) FROM accounts WHERE org_id = $1 AND role IS NOT NULL) AS roles,
  (SELECT id FROM accounts WHERE org_id = $1 AND is_active AND name IN ('Round Off', 'Rounding') ORDER BY name LIMIT 1) AS round_off_account`

const POSTING_ACCOUNTS: Statement = { name: 'posting accounts', takesNoLock: true, text: `SELECT ${ACCOUNTS}` }

/** The parts that few documents need. PostgreSQL would set them up for every execution, so a statement has only those asked for. */
interface Asked {
  accounts: boolean
  rate: boolean
  tags: boolean
  number: boolean
}

const statements = new Map<string, Statement>()

function statementFor(asked: Asked): Statement {
  const parts = Object.entries(asked).flatMap(([part, isAsked]) => (isAsked ? [part] : []))
  const name = ['document context', ...parts].join(' ')
  let statement = statements.get(name)
  if (!statement) statements.set(name, (statement = { name, takesNoLock: true, text: textFor(asked) }))
  return statement
}

// Decimals go through JSON as text, so that none of their digits is lost.
function textFor({ accounts, rate, tags, number }: Asked): string {
  let place = 6
  const next = () => `$${(place += 1)}`
  return `
WITH branch AS MATERIALIZED (
  SELECT id, state, gstin, invoice_prefix, bill_prefix, is_active FROM branches
  WHERE org_id = $1 AND (CASE WHEN $3::uuid IS NULL THEN is_default ELSE id = $3 END)
), item AS MATERIALIZED (
  SELECT id, item_name, description, hsn_or_sac, unit, rate::text, purchase_rate::text, tax_id, account_id, purchase_account_id
  FROM items WHERE org_id = $1 AND id = ANY ($4::uuid[])
)
SELECT
  (SELECT row_to_json(c) FROM (
     SELECT id, contact_name, contact_type, payment_terms, place_of_contact, gst_no, gst_treatment, billing_address ->> 'country' AS country
     FROM contacts WHERE org_id = $1 AND id = $2) AS c) AS contact,
  (SELECT row_to_json(branch) FROM branch) AS branch,
  (SELECT coalesce(json_agg(item), '[]') FROM item) AS items,
  (SELECT coalesce(json_agg(t), '[]') FROM (
     SELECT id, shape, cgst::text, sgst::text, igst::text, cess::text FROM taxes
     WHERE org_id = $1 AND id = ANY ($5::uuid[] || ARRAY(SELECT tax_id FROM item))) AS t) AS taxes,
  ${ACCOUNTS.trim()},
  (SELECT coalesce(json_agg(s), '[]') FROM (
     SELECT id, series_name, prefix, padding, format_template, is_default FROM number_series
     WHERE org_id = $1 AND branch_id = (SELECT id FROM branch) AND period_id = (
       SELECT id FROM accounting_periods WHERE org_id = $1 AND $6::date BETWEEN start_date AND end_date LIMIT 1)) AS s) AS series,
  ${accounts ? accountsAmong(next()) : `'[]'::json`} AS accounts,
  ${rate ? latestRate(`${next()}::text`, `${next()}::text`, '$6') : 'NULL'} AS latest_rate,
  ${tags ? tagsAmong(next()) : '0 AS tags_found, 0 AS tags_closed'},
  ${number ? takenInBranch(next()) : 'false'} AS number_taken`
}

const tagsAmong = (
  ids: string,
) => `(SELECT count(*)::integer FROM cost_centers WHERE org_id = $1 AND id = ANY (${ids}::uuid[])) AS tags_found,
  (SELECT count(*)::integer FROM cost_centers WHERE org_id = $1 AND id = ANY (${ids}::uuid[]) AND NOT is_active) AS tags_closed`

const accountsAmong = (ids: string) => `(SELECT coalesce(json_agg(a), '[]') FROM (
     SELECT id, account_type, is_active FROM accounts WHERE org_id = $1 AND id = ANY (${ids}::uuid[])) AS a)`

const takenInBranch = (number: string) => `EXISTS (SELECT FROM invoices
     WHERE org_id = $1 AND branch_id = (SELECT id FROM branch) AND invoice_number = ${number})`
