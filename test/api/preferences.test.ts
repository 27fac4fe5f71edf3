// Preferences of organisations: what is merged, refused and recorded, and who follows a change.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { REMINDER_PLACEHOLDERS } from '../../domain/reminder-text.ts'
import type { Json } from '../fixtures/client.ts'
import { invoiceBody } from '../fixtures/bodies.ts'
import { addBranch, openOrganization } from '../fixtures/organization.ts'
import { dataUrl, png } from '../fixtures/pictures.ts'
import { DEFAULTS, preferencesOf } from '../fixtures/preferences.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const { change, refusal, entries } = preferencesOf(service)

const LONG = 'x'.repeat(501)
const BANK = { accountName: 'Asha Traders', accountNumber: '50100 2233', bankName: 'HDFC Bank', ifsc: 'HDFC0001234' }

describe('changes', () => {
  test('are merged name by name, null takes the default, and the whole may come back', async () => {
    const { orgId } = await service.organization()
    expect(await change(orgId, {})).toEqual(DEFAULTS)
    const first = await change(orgId, {
      invoiceTemplate: 'tally', pdf: { bankDetails: { ...BANK, ifsc: 'hdfc0001234' }, upiId: 'asha@hdfc', terms: 'Net 30\nE&OE' }, mail: { fromName: 'Asha' },
      reminders: { days: [7, -1] },
    })
    expect(first).toEqual({
      ...DEFAULTS, invoiceTemplate: 'tally', pdf: { ...DEFAULTS.pdf, bankDetails: { ...BANK, branch: null }, upiId: 'asha@hdfc', terms: 'Net 30\nE&OE' },
      mail: { ...DEFAULTS.mail, fromName: 'Asha' }, reminders: { ...DEFAULTS.reminders, days: [-1, 7] },
    })
    expect(await change(orgId, first)).toEqual(first)
    expect((await change(orgId, { pdf: { bankDetails: { branch: 'Fort' }, upiId: null } })).pdf).toEqual({ ...first.pdf, bankDetails: { ...BANK, branch: 'Fort' }, upiId: null })
    expect(await change(orgId, { invoiceTemplate: null, pdf: null, mail: { fromName: null, dailyLimit: null }, reminders: null, eInvoicing: null })).toEqual(DEFAULTS)
    expect(await entries(orgId)).toEqual([
      { changes: {
        invoiceTemplate: { old: 'classic', new: 'tally' }, 'pdf.bankDetails': { old: null, new: { ...BANK, branch: null } }, 'pdf.upiId': { old: null, new: 'asha@hdfc' },
        'pdf.terms': { old: null, new: 'Net 30\nE&OE' }, 'mail.fromName': { old: null, new: 'Asha' }, 'reminders.days': { old: [-3, 0, 7, 15, 30], new: [-1, 7] },
      } },
      { changes: { 'pdf.bankDetails': { old: { ...BANK, branch: null }, new: { ...BANK, branch: 'Fort' } }, 'pdf.upiId': { old: 'asha@hdfc', new: null } } },
      { changes: expect.objectContaining({ invoiceTemplate: { old: 'tally', new: 'classic' }, 'mail.fromName': { old: 'Asha', new: null } }) },
    ])
  })

  test('of e-invoicing are by branch', async () => {
    const org = await openOrganization(service)
    const branch = await addBranch(service, org, 'IN-TN')
    const elsewhere = await openOrganization(service)
    const [foreign] = (await elsewhere.get('/branches')).branches
    expect((await change(org.orgId, { eInvoicing: { [branch.toUpperCase()]: { enabled: true } } })).eInvoicing).toEqual({ [branch]: { enabled: true, provider: 'sandbox' } })
    expect((await change(org.orgId, { eInvoicing: { [branch]: { provider: 'irp' } } })).eInvoicing).toEqual({ [branch]: { enabled: true, provider: 'irp' } })
    for (const id of [foreign.branch_id, randomUUID(), 'main', '__proto__']) {
      expect(await refusal(org.orgId, { eInvoicing: JSON.parse(`{"${id}":{"enabled":true}}`) })).toEqual({ status: 404, code: 'not_found.resource', field: `eInvoicing.${id}` })
    }
    expect((await change(org.orgId, { eInvoicing: { [branch]: null } })).eInvoicing).toEqual({})
    expect((await entries(org.orgId)).at(-1)).toEqual({ changes: { [`eInvoicing.${branch}`]: { old: { enabled: true, provider: 'irp' }, new: null } } })
  })

  test.each<[Json, string, string[] | undefined]>([
    [{ colour: 1 }, 'colour', Object.keys(DEFAULTS)],
    [{ pdf: { upi_id: 'a@bank' } }, 'pdf.upi_id', Object.keys(DEFAULTS.pdf)],
    [{ pdf: { bankDetails: { ...BANK, pin: 1 } } }, 'pdf.bankDetails.pin', ['accountName', 'accountNumber', 'bankName', 'ifsc', 'branch']],
    [JSON.parse('{"__proto__":{"x":1}}'), '__proto__', Object.keys(DEFAULTS)],
    [{ mail: { toString: 1 } }, 'mail.toString', Object.keys(DEFAULTS.mail)],
    [{ reminders: { text: 'Dear {{name}}' } }, 'reminders.text', REMINDER_PLACEHOLDERS.map((name) => `{{${name}}}`)],
    [{ reminders: { enabled: true, subject: '{{amount}}' } }, 'reminders.subject', REMINDER_PLACEHOLDERS.map((name) => `{{${name}}}`)],
  ])('%j names what there is not', async (body, field, valid) => {
    const { orgId } = await service.organization()
    expect(await refusal(orgId, body)).toEqual({ status: 400, code: 'validation.invalid_value', field, details: { valid } })
  })

  test.each<[Json, string]>([
    [{ roundingMethod: 'banker' }, 'roundingMethod'], [{ invoiceTemplate: '../classic' }, 'invoiceTemplate'], [{ roundInvoiceTotals: 'yes' }, 'roundInvoiceTotals'],
    [{ pdf: { upiId: 'asha' } }, 'pdf.upiId'], [{ pdf: { upiId: 'asha@bank&am=1' } }, 'pdf.upiId'], [{ pdf: { bankDetails: { ...BANK, ifsc: 'HDFC1001234' } } }, 'pdf.bankDetails.ifsc'],
    [{ pdf: { footer: LONG } }, 'pdf.footer'], [{ pdf: { footer: ' ' } }, 'pdf.footer'], [{ pdf: { terms: 'a\u0007b' } }, 'pdf.terms'],
    [{ mail: { fromName: 'Asha\r\nBcc: all@example.com' } }, 'mail.fromName'], [{ mail: { fromName: '\u202Eevil <ceo@bank.example>' } }, 'mail.fromName'],
    [{ mail: { replyTo: 'asha' } }, 'mail.replyTo'], [{ mail: { dailyLimit: 1e9 } }, 'mail.dailyLimit'],
    [{ reminders: { days: Array.from({ length: 21 }, (_, day) => day) } }, 'reminders.days'], [{ reminders: { days: [1, 1] } }, 'reminders.days'], [{ reminders: { days: [1.5] } }, 'reminders.days.0'],
    [{ reminders: { subject: 'a\u2028b' } }, 'reminders.subject'],
    [{ reminders: { attachPdf: 'no' } }, 'reminders.attachPdf'], [{ pdf: [] }, 'pdf'], [{ pdf: { logo: 5 } }, 'pdf.logo'], [{ eInvoicing: { x: { enabled: 1 } } }, 'eInvoicing.x.enabled'],
  ])('%j has the wrong shape', async (body, field) => {
    const { orgId } = await service.organization()
    expect(await refusal(orgId, body)).toMatchObject({ status: 422, code: 'validation.failed', errors: expect.arrayContaining([field]) })
  })

  test.each<[Json, string]>([
    [{ pdf: { bankDetails: { ifsc: 'HDFC0001234' } } }, 'pdf.bankDetails.accountName'], [{ pdf: { signatory: { designation: 'Partner' } } }, 'pdf.signatory.name'],
  ])('%j lacks a part', async (body, field) => {
    const { orgId } = await service.organization()
    expect(await refusal(orgId, body)).toEqual({ status: 400, code: 'validation.required_field', field })
  })

  test('of ten at once are all kept', async () => {
    const { orgId } = await service.organization()
    const changes: Json[] = [
      { roundInvoiceTotals: true }, { roundingMethod: 'up' }, { strictPaymentDedupe: false }, { invoiceTemplate: 'boxed' }, { pdf: { terms: 'T' } },
      { pdf: { footer: 'F' } }, { mail: { fromName: 'N' } }, { mail: { dailyLimit: 9 } }, { reminders: { enabled: true } }, { pdf: { logo: dataUrl(png(4, 3)) } },
    ]
    await Promise.all(changes.map((body) => change(orgId, body)))
    expect(await change(orgId, {})).toMatchObject({
      roundInvoiceTotals: true, roundingMethod: 'up', strictPaymentDedupe: false, invoiceTemplate: 'boxed', pdf: { terms: 'T', footer: 'F', logo: { width: 4, height: 3 } },
      mail: { fromName: 'N', dailyLimit: 9 }, reminders: { enabled: true, days: [-3, 0, 7, 15, 30] },
    })
    expect((await entries(orgId)).length).toBe(10)
  })

  test('hold for the next call of every process', async () => {
    const org = await openOrganization(service)
    const other = await service.another()
    try {
      const body = { ...invoiceBody(org), line_items: [{ name: 'Thread', quantity: 1, rate: 99.4 }] }
      const total = async (origin: string) => {
        const answer = await fetch(`${origin}/api/public/v1/invoices`, {
          method: 'POST', body: JSON.stringify(body),
          headers: { authorization: `Bearer ${org.client.token}`, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        })
        return (await answer.json() as Json).invoice.total
      }
      for (const [roundInvoiceTotals, roundingMethod, expected] of [[false, 'nearest', 99.4], [true, 'nearest', 99], [true, 'up', 100], [false, 'up', 99.4]] as const) {
        await change(org.orgId, { roundInvoiceTotals, roundingMethod })
        expect(await Promise.all([total(service.origin), total(other.origin)])).toEqual([expected, expected])
      }
    } finally {
      await other.close()
    }
  })
})
