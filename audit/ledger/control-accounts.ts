// Checks that what each contact owes, or is owed, in the ledger equals its open documents less its unapplied payments and notes.
import type { AccountRole } from '../../domain/accounts.ts'
import type { CreditSide } from '../../domain/credit.ts'
import { DOCUMENTS, factsOf, kindsThatHave, type DocumentKind } from '../../domain/documents.ts'
import type { SettledKind } from '../../domain/lifecycle.ts'
import { toBase } from '../../domain/money.ts'
import type { Flow } from '../../domain/posting/payment.ts'
import type { Connection } from '../../models/connection.ts'

interface Party {
  org_id: string
  contact_id: string
  base_currency: string
  /** Minor units of the organisation's currency, as text. */
  owed: string
  open: string
  /** Amounts in other currencies; `off` is by how much each was reduced in the ledger, in the organisation's currency. */
  foreign: { sign: number; currency: string; rate: string; amount: string; off: string }[]
}

/** A sentence for every contact whose receivable or payable differs from its documents, payments and notes. */
export async function controlsOutOfLine(connection: Connection): Promise<string[]> {
  const wrong: string[] = []
  for (const [name, query] of QUERIES) {
    for (const party of await connection.run<Party>(query, [])) {
      const { org_id, contact_id, base_currency, owed, foreign } = party
      // Amounts in other currencies are converted by the domain, not in SQL, because only domain/money.ts rounds.
      const open = foreign.reduce(
        (sum, { sign, currency, rate, amount, off }) =>
          sum + BigInt(sign) * (toBase(BigInt(amount), currency, rate, base_currency) - BigInt(off)),
        BigInt(party.open),
      )
      if (open !== BigInt(owed))
        wrong.push(
          `the ${name} of contact ${contact_id} of ${org_id} is ${owed} in the ledger, but its documents sum to ${open}`,
        )
    }
  }
  return wrong
}

// The account that has what is owed for documents of a kind, and which side increases it.
const CONTROLS = {
  INVOICE: { role: 'ACCOUNTS_RECEIVABLE', owed: 'l.debit - l.credit', flow: 'INCOMING', side: 'customer' },
  BILL: { role: 'ACCOUNTS_PAYABLE', owed: 'l.credit - l.debit', flow: 'OUTGOING', side: 'vendor' },
} as const satisfies Record<SettledKind, { role: AccountRole; owed: string; flow: Flow; side: CreditSide }>

const STANDS = "status NOT IN ('DRAFT', 'CANCELLED')"
const settling = kindsThatHave('applications').map((kind) => DOCUMENTS[kind].applications)

// Approved documents: their totals less what payments and credits have settled.
const documentsOf = (kind: SettledKind) => {
  const { table, id, party } = DOCUMENTS[kind]
  const settled = settling.map(
    (applied) =>
      `(SELECT coalesce(sum(a.settled_base), 0) FROM ${applied} AS a WHERE a.org_id = d.org_id AND a.${id} = d.id)`,
  )
  return `SELECT d.org_id, d.${party} AS contact_id, 1 AS sign, d.currency_code, d.exchange_rate, d.total AS amount, ${settled.join(' + ')} AS off
  FROM ${table} AS d WHERE d.${STANDS}`
}

// Payments: what they have not settled yet. A refund goes the other way, so it is owed again.
const paymentsOf = (kind: SettledKind) =>
  `SELECT p.org_id, p.contact_id, CASE p.payment_type WHEN 'REFUND' THEN 1 ELSE -1 END, p.currency_code, p.exchange_rate, p.amount, ${relieved('PAYMENT', 'p')}
  FROM payments AS p WHERE (p.flow = '${CONTROLS[kind].flow}') = (p.payment_type <> 'REFUND')`

// Notes of each kind against such documents: what they have not settled yet.
const notesOf = (kind: SettledKind) =>
  kindsThatHave('against')
    .filter((note) => factsOf(note).against!.includes(kind))
    .map((note) => {
      const { table, party, against } = factsOf(note)
      const ofSide = against!.length > 1 ? ` AND n.type = '${CONTROLS[kind].side}'` : ''
      return `SELECT n.org_id, n.${party}, -1, n.currency_code, n.exchange_rate, n.total, ${relieved(note, 'n')}
  FROM ${table} AS n WHERE n.${STANDS}${ofSide}`
    })

function relieved(kind: DocumentKind, alias: string): string {
  const { applications, id } = factsOf(kind)
  if (applications === undefined) return '0'
  return `(SELECT coalesce(sum(a.relieved_base), 0) FROM ${applications} AS a WHERE a.org_id = ${alias}.org_id AND a.${id} = ${alias}.id)`
}

const textOf = (kind: SettledKind) => {
  const { role, owed } = CONTROLS[kind]
  const sources = [kind, 'PAYMENT', ...kindsThatHave('against')].map((source) => `'${source}'`)
  return `
WITH item AS (
  ${[documentsOf(kind), paymentsOf(kind), ...notesOf(kind)].join(' UNION ALL ')}
), expected AS (
  SELECT i.org_id, i.contact_id, o.currency_code AS base_currency,
    coalesce(sum(i.sign * (i.amount - i.off)) FILTER (WHERE i.currency_code = o.currency_code), 0) AS open,
    json_agg(json_build_object('sign', i.sign, 'currency', i.currency_code, 'rate', i.exchange_rate::text,
      'amount', i.amount::text, 'off', i.off::text)) FILTER (WHERE i.currency_code <> o.currency_code) AS foreign
  FROM item AS i JOIN organizations AS o ON o.id = i.org_id GROUP BY i.org_id, i.contact_id, o.currency_code
), ledger AS (
  SELECT l.org_id, l.contact_id, sum(${owed}) AS owed
  FROM journal_lines AS l
  JOIN accounts AS a ON a.org_id = l.org_id AND a.id = l.account_id AND a.role = '${role}'
  JOIN journals AS j ON j.org_id = l.org_id AND j.id = l.journal_id AND j.source IN (${sources.join(', ')})
  GROUP BY l.org_id, l.contact_id
)
SELECT coalesce(e.org_id, g.org_id) AS org_id, coalesce(e.contact_id, g.contact_id) AS contact_id,
  coalesce(e.base_currency, '') AS base_currency, coalesce(g.owed, 0)::text AS owed, coalesce(e.open, 0)::text AS open,
  coalesce(e.foreign, '[]') AS foreign
FROM expected AS e FULL JOIN ledger AS g ON g.org_id = e.org_id AND g.contact_id = e.contact_id
WHERE coalesce(e.open, 0) <> coalesce(g.owed, 0) OR e.foreign IS NOT NULL`
}

const QUERIES = [
  ['receivable', { name: 'audit receivables', text: textOf('INVOICE') }],
  ['payable', { name: 'audit payables', text: textOf('BILL') }],
] as const
