// Measures many writers of one organisation, of documents with a journal and without one, beside the same of many organisations.
import type { Call } from './children/load.ts'
import { byService } from './measuring.ts'
import { approvedInvoice, itemLines, today } from './parties.ts'
import type { Report } from './report.ts'
import { inRounds } from './rounds.ts'
import type { Scale } from './scale.ts'
import type { Stage } from './stage.ts'
import { openTrades, PATH, salesOrder, type Trade } from './trades.ts'
import type { Party } from './parties.ts'

/** POST /invoices for a draft: without a journal, it shares the invoice numbers and the positions of events with others. */
export function draft(party: Party): Call {
  const call = approvedInvoice(party)
  return { ...call, body: { ...(call.body as object), auto_approve: false } }
}

const estimate = ({ token, customerId, itemIds }: Party): Call => ({
  method: 'POST', path: `${PATH}/estimates`, token,
  body: { customer_id: customerId, date: today(), place_of_supply: 'IN-KA', line_items: itemLines(itemIds) },
})

const journal = ({ token, expenseAccountId, bankAccountId }: Trade): Call => ({
  method: 'POST', path: `${PATH}/journals`, token,
  body: { date: today(), lines: [{ account_id: expenseAccountId, debit: 100 }, { account_id: bankAccountId, credit: 100 }] },
})

/** A draft, an estimate, a sales order, a journal and an approved invoice. */
export const mixed = (trade: Trade): Call[] => [draft(trade), estimate(trade), salesOrder(trade), journal(trade), approvedInvoice(trade)]

export async function measureMixed(stage: Stage, parties: Party[], scale: Scale, report: Report): Promise<void> {
  const trades = await openTrades(stage, parties)
  report.section(`Drafts, estimates, orders, journals and invoices in turn, of one organisation and of ${trades.length}`)
  for (const clients of scale.clients) {
    const pace = { clients, seconds: scale.writeSeconds, warmSeconds: scale.writeWarmSeconds }
    const [one, many] = await inRounds([
      byService(stage, 'mixed writes of one organisation', mixed(trades[0]!), pace),
      byService(stage, '  of many', trades.flatMap(mixed), pace),
    ], { rounds: scale.rounds, clients, report, stopping: stage.stopping })
    report.aim({ name: `mixed writes, ${clients} clients: of one organisation / of many`, value: one!.rate / many!.rate })
  }
}
