// A schedule that bills before one's eyes: what has fallen due in the last three days is billed as soon as it is created.
import { setTimeout as delay } from 'node:timers/promises'
import type { Schema } from '../../client/src/index.ts'
import { addDays } from '../../domain/dates.ts'
import type { Trader } from './trader.ts'

const DAYS = 3
const LOOK_MS = 100
const PATIENCE_MS = 60_000

/** Creates the schedule, and prints each invoice when the worker has generated it. Throws when that takes more than a minute. */
export async function billBySchedule(trader: Trader): Promise<void> {
  const { contact } = await trader.bahi.post('/contacts', {
    body: { contact_name: 'Devaraja Weavers', contact_type: 'CUSTOMER', place_of_contact: 'IN-KA' },
  })
  const { recurring } = await trader.bahi.post('/recurring', { body: {
    entity_type: 'INVOICE', name: 'Hire of a loom', frequency: 'DAILY', start_date: addDays(trader.day(31), -DAYS), max_runs: DAYS, auto_charge: true,
    template_payload: {
      customer_id: contact.contact_id, place_of_supply: 'IN-KA', auto_approve: true, notes: 'Invoice {{occurrence}} of 3',
      line_items: [{ name: 'Hire of a loom, {{period_start}}', quantity: 1, rate: 450, tax_id: trader.taxes['GST 18%'] }],
    },
  } })
  trader.print(`\nA schedule: ${recurring.name}, each day from ${recurring.start_date.slice(0, 10)}, ${DAYS} times. The worker bills what is due:`)
  const last = await printRuns(trader, recurring.recurring_id)
  const { recurring: done } = await trader.bahi.get('/recurring/{schedule_id}', { path: { schedule_id: recurring.recurring_id } })
  trader.print(`The schedule is ${done.status} after ${done.run_count} invoices. The link by which the last one is paid:\n  ${last.payment_link_url}`)
}

// Prints the invoice of each run as it appears. Returns the last.
async function printRuns(trader: Trader, scheduleId: string): Promise<Schema<'Invoice'>> {
  const until = Date.now() + PATIENCE_MS
  for (let printed = 0; ; await delay(LOOK_MS)) {
    const { runs } = await trader.bahi.get('/recurring/{schedule_id}/runs', { path: { schedule_id: scheduleId } })
    for (const run of runs.toReversed().slice(printed)) {
      if (run.status === 'FAILED') throw new Error(`The schedule could not bill: ${run.error}`)
      const { invoice } = await trader.bahi.get('/invoices/{invoice_id}', { path: { invoice_id: run.generated_entity_id! } })
      trader.printEntry(invoice.line_items[0]!.name, invoice.invoice_number, invoice.customer_name, invoice.total)
      printed += 1
      if (printed === DAYS) return invoice
    }
    if (Date.now() > until) throw new Error('The schedule has not billed within a minute; does the worker run? See its log.')
  }
}
