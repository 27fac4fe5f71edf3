// Writers of payments, of mails, and of schedules that stay open and tick, for the load of an installation.
import { expect } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { addDays } from '../../domain/dates.ts'
import { billBody, expenseBody, invoiceBody, vendorPaymentBody } from '../fixtures/bodies.ts'
import type { Json } from '../fixtures/client.ts'
import { TODAY } from '../fixtures/organization.ts'
import type { LoadedOrganization } from '../kills/organization.ts'
import { pause } from '../kills/patient-caller.ts'
import type { CheckedCaller, Writer } from '../kills/writers.ts'

/** Owes a vendor a bill and pays it: each is paid by one payment. */
export function paying({ vendorId }: LoadedOrganization, caller: CheckedCaller): Writer {
  const paid: { billId: string; payment: Json }[] = []
  return {
    name: 'paying',
    async round() {
      const { bill: { bill_id: billId } } = await caller.post('/bills', billBody({ vendorId }, { date: TODAY, auto_approve: true }))
      const allocations = [{ bill_id: billId, amount: 100 }]
      paid.push({ billId, payment: (await caller.post('/payments', vendorPaymentBody({ vendorId }, { date: TODAY, allocations }))).payment })
    },
    async check() {
      for (const { billId, payment } of paid) {
        expect((await caller.get(`/bills/${billId}`)).bill).toMatchObject({ status: 'PAID', balance: 0, payment_made: 100 })
        expect((await caller.get(`/payments/${payment.payment_id}`)).payment).toEqual(payment)
      }
      const { payments } = await caller.get(`/payments?per_page=200`)
      expect(payments.length).toBe(Math.min(200, paid.length))
    },
  }
}

/** Mails an invoice to its customer: the provider gets each mail once, or nobody knows whether it did. */
export async function mailing({ customerId }: LoadedOrganization, caller: CheckedCaller, { mailboxUrl, attachPdf }: { mailboxUrl: string; attachPdf: boolean }): Promise<Writer & { unknown(): number }> {
  const { invoice: { invoice_id: id } } = await caller.post('/invoices', invoiceBody({ customerId }, { date: TODAY, auto_approve: true }))
  const states = new Map<string, string>()
  return {
    name: 'mailing',
    unknown: () => [...states.values()].filter((state) => state === 'UNKNOWN').length,
    async round() {
      const subject = `Mail ${states.size} ${randomUUID()}`
      const { status, body, text } = await caller.answer('POST', `/invoices/${id}/email`, {
        key: randomUUID(), body: { to: ['asha@example.com'], subject, attach_pdf: attachPdf && states.size % 2 === 0 },
      })
      if (status !== 200 && status !== 502) throw new Error(`the mail was answered ${status}: ${text}`)
      states.set(subject, status === 200 ? 'SENT' : body.details.status)
    },
    async check() {
      const messages = (await (await fetch(`${mailboxUrl}/messages`)).json()) as Json[]
      for (const [subject, state] of states) {
        const taken = messages.filter((message) => message.subject === subject).length
        expect({ subject, state, taken }).toEqual({ subject, state, taken: state === 'SENT' ? 1 : expect.any(Number) })
        expect(taken).toBeLessThan(2)
        expect(['SENT', 'UNKNOWN']).toContain(state)
      }
    },
  }
}

const DAYS = 180
const LOOK_AGAIN_MS = 250

/** Has a schedule that is always behind, so that every tick generates what it may; a round lasts until the next tick has. */
export function ticking({ accounts }: LoadedOrganization, caller: CheckedCaller): Writer & { occurrences(): number } {
  const added: { id: string; count: number }[] = []
  const { date: _date, ...template_payload } = expenseBody({ accounts })

  async function behind(): Promise<{ id: string; count: number }> {
    const last = added.at(-1)
    if (last && last.count < DAYS) return last
    const body = { entity_type: 'EXPENSE', name: `Open ${added.length}`, frequency: 'DAILY', start_date: addDays(TODAY, -DAYS), template_payload }
    added.push({ id: (await caller.post('/recurring', body)).recurring.recurring_id, count: 0 })
    return added.at(-1)!
  }

  return {
    name: 'ticking',
    occurrences: () => added.reduce((sum, { count }) => sum + count, 0),
    async round() {
      const schedule = await behind()
      for (const before = schedule.count; schedule.count === before; ) {
        await pause(LOOK_AGAIN_MS)
        schedule.count = (await caller.get(`/recurring/${schedule.id}`)).recurring.run_count
      }
    },
    async check() {
      for (const schedule of added) {
        const { id } = schedule
        await caller.post(`/recurring/${id}/pause`, undefined)
        const { recurring: { run_count, status } } = await caller.get(`/recurring/${id}`)
        schedule.count = run_count
        const runs: Json[] = []
        for (let cursor = ''; ;) {
          const page = await caller.get(`/recurring/${id}/runs?per_page=200${cursor}`)
          runs.push(...page.runs)
          if (!page.page_context.has_more_page) break
          cursor = `&cursor=${page.page_context.next_cursor}`
        }
        const occurrences = runs.map(({ occurrence, status: outcome }) => `${occurrence} ${outcome}`)
        expect([status, occurrences.toSorted()]).toEqual(['PAUSED', Array.from({ length: run_count }, (_, place) => `${place + 1} SUCCEEDED`).toSorted()])
        expect(new Set(runs.map(({ generated_entity_id: made }) => made)).size).toBe(run_count)
      }
    },
  }
}
