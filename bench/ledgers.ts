// Measures how fast a customer ledger is read, to its first byte and to its last, and how much memory a long one takes.
import type { LedgerJob, LedgerResult } from './children/ledger.ts'
import { runChild } from './children/parent.ts'
import { connected } from './connected.ts'
import { consumed, peakMemory } from './consumption.ts'
import { writeHistory } from './history.ts'
import type { Party } from './parties.ts'
import type { Report } from './report.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'
import { step } from '../bin/services/steps.ts'

// An invoice of a history has its own entry, unless it is a draft, and mostly the entry of its receipt.
const ENTRIES_AN_INVOICE = 1.8
const CLIENTS = [1, 4]

export interface Long {
  party: Party
  contactId: string
  rows: number
}

/** Measures a ledger of each length of the scale, each in an organisation of its own. */
export async function measureLedgers(stage: Stage, parties: Party[], scale: Scale, report: Report): Promise<void> {
  const ledgers: Long[] = []
  for (const [place, rows] of scale.ledgers.entries()) ledgers.push(await writeLedger(stage, parties[place]!, rows))
  // Warms up, so that the heap of the API has its final size before it is measured.
  const { stopping } = stage
  for (const ledger of ledgers) await runChild('ledger.ts', jobOf(stage, ledger, CLIENTS.at(-1)!, scale.warmSeconds), stopping)
  report.section("A customer's ledger, read whole")
  const peaks: number[] = []
  for (const ledger of ledgers) {
    for (const clients of CLIENTS) {
      const peak = await measureLedger(stage, ledger, clients, scale, report)
      if (peak !== null && clients === CLIENTS[0]) peaks.push(peak)
    }
  }
  const [short, long] = peaks
  if (short === undefined || long === undefined) return
  report.aim({ name: `API's peak memory: a ledger of ${ledgers[1]!.rows} rows / of ${ledgers[0]!.rows}`, value: long / short, atMost: 1.25 })
}

async function measureLedger(stage: Stage, ledger: Long, clients: number, scale: Scale, report: Report): Promise<number | null> {
  stage.stopping.throwIfAborted()
  const { rows } = ledger
  const job = jobOf(stage, ledger, clients, scale.rounds * scale.writeSeconds)
  const [[{ firstByte, whole, bytes }, consumption], peak] = await peakMemory(stage.pids.api, () =>
    consumed(stage.pids, () => runChild<LedgerJob, LedgerResult>('ledger.ts', job, stage.stopping)))
  report.line({ measure: `${rows} rows, ${(bytes / 1e6).toFixed(1)} MB`, clients, figures: whole, consumption })
  report.line({ measure: '  to the first byte', clients, figures: { ...firstByte, rate: NaN }, consumption: null })
  if (peak !== null) console.log(`  peak of the API: ${peak.toFixed(0)} MB; ${Math.round(whole.rate * rows)} rows a second`)
  return peak
}

/** Writes about `count` rows into the ledger of one customer of the organisation. */
export async function writeLedger(stage: Stage, party: Party, count: number): Promise<Long> {
  return step('Ledger', async () => {
    await writeHistory(stage, party, { invoices: Math.round(count / ENTRIES_AN_INVOICE), customers: 1 })
    const contactId = await connected(stage.databaseUrl, async (client) => (await client.query<{ contact_id: string }>(
      'SELECT contact_id FROM journals WHERE org_id = $1 GROUP BY contact_id ORDER BY count(*) DESC LIMIT 1', [party.orgId])).rows[0]!.contact_id)
    const answer = await fetch(ledgerUrl(stage, contactId), { headers: { Authorization: `Bearer ${party.token}` } })
    const { customer_ledger: { transactions, closing_balance } } = await answer.json() as {
      customer_ledger: { transactions: { balance: number }[]; closing_balance: number }
    }
    if (transactions.at(-1)?.balance !== closing_balance) throw new Error('the ledger does not end with its closing balance')
    return [`${transactions.length} rows of one customer`, { party, contactId, rows: transactions.length }]
  }, 'written')
}

const jobOf = (stage: Stage, { party, contactId }: Long, clients: number, seconds: number): LedgerJob =>
  ({ url: ledgerUrl(stage, contactId), token: party.token, clients, seconds })

export const ledgerUrl = ({ baseUrl }: Pick<Stage, 'baseUrl'>, contactId: string) => `${baseUrl}/reports/customer_ledger?contact_id=${contactId}`
