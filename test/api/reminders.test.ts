// Reminders: by hand and by the policy of an organisation, once a day, of what is owed when they are sent.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openEngine, type Engine } from '../../gateways/temporal/engine.ts'
import type { Json } from '../fixtures/client.ts'
import { addContact, type TestOrganization } from '../fixtures/organization.ts'
import { preferencesOf } from '../fixtures/preferences.ts'
import { activityOf, dueIn, mailsOf, openReminding, sweepsOf, textOf, TODAY_AT_NOON, zoneAt, type Sweeps } from '../fixtures/reminders.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const preferences = preferencesOf(service)
let engine: Engine
let sweeps: Sweeps
let org: TestOrganization
beforeAll(async () => {
  await service.startWorker()
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_QUEUE_SUFFIX: queueSuffix = '', ENCRYPTION_KEY: encryptionKey } = service.env
  engine = openEngine({ address, namespace: 'default', queueSuffix, encryptionKey: encryptionKey! })
  sweeps = sweepsOf(service, engine)
  org = await openReminding(service)
}, 120_000)
afterAll(async () => {
  await engine.close()
  await service.stopWorker()
})

const remind = (id: string, body: Json = {}, key = randomUUID(), at = org) => at.client.post(`/invoices/${id}/remind`, body, key)
const refused = async (id: string, body: Json = {}, at = org) => {
  const { status, body: { code, field, details } } = await remind(id, body, randomUUID(), at)
  return { status, code, ...(field && { field }), ...(details && { details }) }
}
const messages = async (): Promise<Json[]> => (await fetch(`${service.mailboxUrl}/messages`)).json() as Promise<Json[]>

describe('by hand', () => {
  test('goes to the customer with what is owed, and is noted in the activity, as an event, and among the mails', async () => {
    const invoice = await org.sentInvoice(dueIn(-7))
    const { status, body: { delivery, warnings } } = await remind(invoice.invoice_id)
    expect([status, warnings, delivery.to, delivery.subject]).toEqual([200, [], ['meena@example.com'], expect.stringMatching(/^Reminder: invoice INV-\S+ was due on \d\d \w{3} \d{4}$/)])
    expect(await textOf(service, delivery.message_id)).toContain('7 days ago. INR 100.00 is still to be paid.')
    const [mail] = await mailsOf(org, invoice.invoice_id)
    expect(mail).toMatchObject({ purpose: 'REMINDER', status: 'SENT', subject: delivery.subject })
    expect(await activityOf(org, invoice.invoice_id, 'REMINDER_SENT')).toMatchObject([{ metadata: { email_id: mail.email_id, to: ['meena@example.com'], source: 'PUBLIC_API' } }])
    expect(await activityOf(org, invoice.invoice_id, 'EMAIL_SENT')).toEqual([])
    const { events } = await org.get(`/webhooks/events?entity_id=${invoice.invoice_id}&event_type=invoice.reminded`)
    expect(events).toMatchObject([{ data: { id: invoice.invoice_id, number: invoice.invoice_number, status: 'SENT', sequence: 1 } }])
    expect(await org.getInvoice(invoice.invoice_id)).toEqual(invoice)
  })

  test('takes the texts, recipients and attachment that are sent, else those of the organisation', async () => {
    const at = await openReminding(service, { subject: 'Open: {{number}}', text: 'Dear {{customer_name}},\n\n{{amount_due}} <b>please</b>' })
    const one = (await remind((await at.sentInvoice(dueIn(3))).invoice_id, {}, undefined, at)).body.delivery
    expect([one.subject, one.attached_pdf]).toEqual([expect.stringMatching(/^Open: INV-/), false])
    expect(await textOf(service, one.message_id)).toBe('Dear Meena Sarees, INR 100.00 <b>please</b>')
    const two = (await remind((await at.sentInvoice(dueIn(3))).invoice_id, {
      to: ['x@example.com'], cc: ['y@example.com'], subject: '{{days_until_due}} days', body_html: '<h1>{{organization_name}}</h1>', attach_pdf: true,
    }, undefined, at)).body.delivery
    expect(two).toMatchObject({ to: ['x@example.com'], cc: ['y@example.com'], subject: '3 days', attached_pdf: true, pdf_filename: expect.stringMatching(/\.pdf$/) })
    expect(await textOf(service, two.message_id)).toBe('CHANDNI CHOWK TRADERS')
  }, 180_000)

  test('is sent once a day, by however many calls at once', async () => {
    const { invoice_id: id } = await org.sentInvoice()
    const answers = await Promise.all(Array.from({ length: 6 }, () => remind(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    const [mail, ...more] = await mailsOf(org, id)
    expect(more).toEqual([])
    expect(await refused(id)).toEqual({ status: 409, code: 'validation.duplicate_resource', details: { existing_email_id: mail.email_id, existing_date: TODAY_AT_NOON } })
    expect((await messages()).filter(({ subject }) => subject === mail.subject)).toHaveLength(1)
  })

  test('with a key that was used is answered as before', async () => {
    const [{ invoice_id: id }, key] = [await org.sentInvoice(), randomUUID()]
    const first = await remind(id, {}, key)
    const again = await remind(id, {}, key)
    expect([first.status, again.status, again.headers['idempotency-replay'], again.body]).toEqual([200, 200, 'true', first.body])
  })

  test('that the provider refused does not count: another can be sent', async () => {
    const { invoice_id: id } = await org.sentInvoice()
    expect(await refused(id, { to: ['nobody@reject.test'] })).toMatchObject({ status: 502, code: 'email.send_failed' })
    expect((await remind(id)).status).toBe(200)
    expect((await mailsOf(org, id)).map(({ status }) => status)).toEqual(['SENT', 'REJECTED'])
  })

  test('is refused of what is not owed, or is disputed', async () => {
    const allowed = ['SENT', 'PARTIALLY_PAID', 'OVERDUE']
    const [draft, free, disputed, paid] = [await org.invoice(), await org.sentInvoice({ line_items: [{ name: 'Gift', quantity: 1, rate: 0 }] }), await org.sentInvoice(), await org.sentInvoice()]
    const { invoice: { dispute } } = await org.send('POST', `/invoices/${disputed.invoice_id}/dispute`, { reason: 'Torn' })
    await org.payment(org.receiptBody({ contact_id: org.customerId, amount: 100, allocations: [{ invoice_id: paid.invoice_id, amount: 100 }] }))
    const conflict = (details: Json) => ({ status: 409, code: 'conflict.invalid_state', details: { allowed, ...details } })
    expect(await refused(draft.invoice_id)).toEqual(conflict({ status: 'DRAFT' }))
    expect(await refused(free.invoice_id)).toEqual(conflict({ status: 'SENT', balance: 0 }))
    expect(await refused(disputed.invoice_id)).toEqual(conflict({ status: 'SENT', dispute }))
    expect(await refused(paid.invoice_id)).toEqual(conflict({ status: 'PAID' }))
    await org.send('POST', `/invoices/${disputed.invoice_id}/resolve_dispute`)
    expect((await remind(disputed.invoice_id)).status).toBe(200)
    expect(await refused(randomUUID())).toEqual({ status: 404, code: 'not_found.resource' })
  })

  test('is refused without an address, with unknown placeholders, and with a body of the wrong shape', async () => {
    const { invoice_id: id } = await org.sentInvoice({ customer_id: await addContact(org) })
    expect(await refused(id)).toEqual({ status: 400, code: 'validation.required_field', field: 'to' })
    expect(await refused(id, { to: ['a@example.com'], subject: '{{amount}}' })).toMatchObject({ status: 400, code: 'validation.invalid_value', field: 'subject' })
    expect(await refused(id, { to: ['a@example.com'], body_html: '{{x}}' })).toMatchObject({ status: 400, field: 'body_html' })
    expect(await refused(id, { to: [], subject: 'a\nb' })).toMatchObject({ status: 422, code: 'validation.failed' })
    expect(await mailsOf(org, id)).toEqual([])
  })

  test('warns of an address at which mail did not arrive, and is sent all the same', async () => {
    const [first, second] = [await org.sentInvoice(), await org.sentInvoice()]
    const { delivery } = (await remind(first.invoice_id, { to: ['gone@example.com'] })).body
    await service.sql(`UPDATE email_recipients SET reported = 'BOUNCED', reported_at = now() WHERE address = 'gone@example.com'`)
    const { body } = await remind(second.invoice_id, { to: ['gone@example.com'] })
    expect([delivery.to, body.warnings.map(({ code }: Json) => code), body.delivery.to]).toEqual([['gone@example.com'], ['email.undeliverable_address'], ['gone@example.com']])
  })
})

test('PostgreSQL refuses a second reminder of a day that is sent or may be, whoever writes it', async () => {
  const { invoice_id: id } = await org.sentInvoice()
  await remind(id)
  const copy = (state: string) => service.sql(
    `INSERT INTO emails SELECT (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'state', $2::text, 'sent_at', NULL) ||
       CASE $2 WHEN 'REJECTED' THEN '{"refusal": "PROVIDER", "reason": "No."}' ELSE '{}' END::jsonb)).* FROM emails AS e WHERE entity_id = $1 LIMIT 1`, id, state)
  await expect(copy('READY')).rejects.toThrow(/emails_reminder_day/)
  await expect(copy('SENDING')).rejects.toThrow(/emails_reminder_day/)
  await copy('REJECTED')
  await service.sql(`DELETE FROM emails WHERE entity_id = $1 AND state = 'REJECTED'`, id)
})

describe('by the policy', () => {
  test('each invoice of a day is reminded of once, by two workers at once, again, by hand, and after a change of the policy', async () => {
    const at = await openReminding(service, { enabled: true, days: [-3, 0, 7] })
    const wanted = await Promise.all([-3, -1, 0, 2, 7, 9].map((days) => at.sentInvoice(dueIn(-days))))
    const others = await Promise.all([-4, 3, 6, 10, 40].map((days) => at.sentInvoice(dueIn(-days, days === 40 ? { date: '2026-01-10' } : {}))))
    await at.send('POST', `/invoices/${(await at.sentInvoice(dueIn(0))).invoice_id}/dispute`, { reason: 'Torn' })
    await at.invoice(dueIn(0))
    await Promise.all([sweeps.sweep(), sweeps.sweep(), sweeps.sweep(), sweeps.sweep()])
    const numbers = (invoices: Json[]) => invoices.map(({ invoice_number }) => invoice_number).sort()
    const reminded = async () => (await sweeps.queued(at)).map(({ number }) => number).sort()
    expect(await reminded()).toEqual(numbers(wanted))
    expect(await refused(wanted[0]!.invoice_id, {}, at)).toMatchObject({ status: 409, code: 'validation.duplicate_resource' })
    await preferences.change(at.orgId, { reminders: { days: [-4, -3, 0, 3, 7] } })
    await Promise.all([sweeps.sweep(), sweeps.sweep()])
    expect(await reminded()).toEqual(numbers([...wanted, ...others.slice(0, 2)]))
    await sweeps.sendAll(at)
    expect(new Set((await sweeps.queued(at)).map(({ state }) => state))).toEqual(new Set(['SENT']))
    const [activity] = await activityOf(at, wanted[0]!.invoice_id, 'REMINDER_SENT')
    expect(activity).toMatchObject({ actor_user_id: null, metadata: { source: 'REMINDERS' } })
    await sweeps.later(at, 1)
    await sweeps.sweep()
    // Those for which a day of the policy has come: the due date, three days and a week after it, and three days before it.
    expect((await sweeps.queued(at)).filter(({ state }) => state === 'READY').map(({ number }) => number).sort()).toEqual(
      numbers([wanted[1]!, wanted[3]!, others[2]!, others[0]!]))
  })

  test('a reminder by hand stands for the one of the policy that was due', async () => {
    const at = await openReminding(service, { enabled: true, days: [0] })
    const { invoice_id: id } = await at.sentInvoice(dueIn(-1))
    expect((await remind(id, {}, undefined, at)).status).toBe(200)
    await sweeps.sweep()
    await sweeps.later(at, 1)
    await sweeps.sweep()
    expect(await sweeps.queued(at)).toMatchObject([{ state: 'SENT' }])
  })

  test('what was paid in the meantime is not reminded of, and what was paid in part says what is left', async () => {
    const at = await openReminding(service, { enabled: true, days: [0] })
    const [paid, part, disputed] = [await at.sentInvoice(dueIn(0)), await at.sentInvoice(dueIn(0)), await at.sentInvoice(dueIn(0))]
    await service.sql(`UPDATE invoices SET payment_link_url = 'https://pay.test/whole' WHERE org_id = $1`, at.orgId)
    await sweeps.sweep()
    const pay = (invoice_id: string, amount: number) => at.payment(at.receiptBody({ contact_id: at.customerId, amount, allocations: [{ invoice_id, amount }] }))
    await pay(paid.invoice_id, 100)
    await pay(part.invoice_id, 60)
    await at.send('POST', `/invoices/${disputed.invoice_id}/dispute`, { reason: 'Torn' })
    await sweeps.sendAll(at)
    expect(await mailsOf(at, paid.invoice_id)).toMatchObject([{ status: 'REJECTED', error: 'The invoice is not owed any more, so nobody was reminded of it.' }])
    expect(await mailsOf(at, disputed.invoice_id)).toMatchObject([{ status: 'REJECTED', error: 'The invoice is disputed, so nobody was reminded of it.' }])
    const [sent] = await mailsOf(at, part.invoice_id)
    expect(await textOf(service, sent.message_id)).toContain('INR 40.00 is still to be paid. If you')
    expect(await activityOf(at, paid.invoice_id, 'REMINDER_SENT')).toEqual([])
  })

  test('without its IRN an invoice is left out, and a reminder by hand warns', async () => {
    const at = await openReminding(service, { enabled: true, days: [0] })
    const { invoice_id: id } = await at.sentInvoice(dueIn(0))
    await service.sql(`UPDATE invoices SET e_invoice = '{"status": "FAILED", "irn": null, "ack_no": null, "ack_date": null, "signed_qr": null, "errors": []}' WHERE id = $1`, id)
    await sweeps.sweep()
    expect(await sweeps.queued(at)).toEqual([])
    const { body } = await remind(id, {}, undefined, at)
    expect(body.warnings.map(({ code }: Json) => code)).toEqual(['email.e_invoice_not_registered'])
    await service.sql('UPDATE invoices SET e_invoice = NULL WHERE id = $1', id)
  })

  test('customers without an address, or where mail did not arrive, are noted once', async () => {
    const at = await openReminding(service, { enabled: true, days: [0, 7, 14] })
    const nowhere = await at.sentInvoice(dueIn(0, { customer_id: await addContact(at) }))
    const gone = await at.sentInvoice(dueIn(0, { customer_id: await addContact(at, { email: 'bounced@example.com' }) }))
    await remind((await at.sentInvoice()).invoice_id, { to: ['bounced@example.com'] }, undefined, at)
    await service.sql(`UPDATE email_recipients SET reported = 'BOUNCED', reported_at = now() WHERE org_id = $1`, at.orgId)
    for (const _ of [0, 7, 14]) {
      await sweeps.sweep()
      await sweeps.later(at, 7)
    }
    const notSent = async (invoice: Json) => (await activityOf(at, invoice.invoice_id, 'REMINDER_NOT_SENT')).map(({ metadata }) => metadata.cause)
    expect([await notSent(nowhere), await notSent(gone)]).toEqual([['NO_ADDRESS'], ['UNDELIVERABLE']])
    expect((await mailsOf(at, nowhere.invoice_id)).map(({ status, error, recipients }) => [status, error, recipients])).toEqual(
      Array.from({ length: 3 }, () => ['REJECTED', 'The customer has no e-mail address.', []]))
  })

  test('at most half of the mails of a day are reminders; the rest follows on the next', async () => {
    const at = await openReminding(service, { enabled: true, days: [0] })
    await preferences.change(at.orgId, { mail: { dailyLimit: 4 } })
    // One by hand is none of the policy's.
    await remind((await at.sentInvoice()).invoice_id, {}, undefined, at)
    for (const _ of [1, 2, 3]) await at.sentInvoice(dueIn(0))
    expect(await sweeps.sweep()).toMatchObject({ beyond_limit: 1, reminded: 2 })
    await sweeps.sweep()
    expect(await sweeps.queued(at)).toHaveLength(3)
    await sweeps.later(at, 1)
    await sweeps.sweep()
    expect(await sweeps.queued(at)).toHaveLength(4)
  })

  test('by night nobody is reminded, and a policy that is off asks for nothing', async () => {
    const [asleep, off] = [await openReminding(service, { enabled: true, days: [0, 1] }, { time_zone: zoneAt(2) }), await openReminding(service, { enabled: true, days: [0] })]
    await Promise.all([asleep.sentInvoice(dueIn(0)), off.sentInvoice(dueIn(0))])
    await preferences.change(off.orgId, { reminders: { enabled: false } })
    await sweeps.sweep()
    expect([await sweeps.queued(asleep), await sweeps.queued(off)]).toEqual([[], []])
    const rows = await service.sql<Json>('SELECT org_id, next_at > now() AS later, swept_at FROM reminder_sweeps WHERE org_id IN ($1, $2)', asleep.orgId, off.orgId)
    expect(rows).toEqual([{ org_id: asleep.orgId, later: true, swept_at: null }])
  })

  test('organisations take turns, in pages; what a worker leaves when it dies is taken up', async () => {
    const [big, small] = [await openReminding(service, { enabled: true, days: [0] }), await openReminding(service, { enabled: true, days: [0] })]
    await Promise.all([...Array.from({ length: 101 }, () => big.sentInvoice(dueIn(0))), small.sentInvoice(dueIn(0))])
    // The connection of a sweep is cut in the middle of a page.
    await service.sql(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF (SELECT count(*) FROM emails WHERE org_id = '${big.orgId}') = 50 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END $$`)
    await service.sql(`CREATE TRIGGER die BEFORE UPDATE ON reminder_sweeps FOR EACH ROW
      WHEN (NEW.org_id = '${big.orgId}' AND NEW.looked_through IS DISTINCT FROM OLD.looked_through) EXECUTE FUNCTION die()`)
    await sweeps.sweep()
    expect([(await sweeps.queued(big)).length, (await sweeps.queued(small)).length]).toEqual([50, 1])
    await service.sql('DROP TRIGGER die ON reminder_sweeps')
    await service.sql('UPDATE reminder_sweeps SET next_at = now() WHERE org_id = $1', big.orgId)
    await sweeps.sweep()
    expect(await sweeps.queued(big)).toHaveLength(101)
    expect(await service.sql('SELECT FROM emails WHERE org_id = $1 GROUP BY entity_id HAVING count(*) > 1', big.orgId)).toEqual([])
  })
})
