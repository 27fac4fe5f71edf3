// The guard against recording one payment twice: warned of with a key, refused without.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { openBooks } from '../../commands/books/open-books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import { recordPayment, type NewPayment } from '../../commands/payments/payments.ts'
import type { OrganizationRow } from '../../models/organization.ts'
import type { Json } from '../fixtures/client.ts'
import { addContact, openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const ours = await openOrganization(service)

describe('duplicates', () => {
  let contact_id: string
  beforeAll(async () => {
    contact_id = await addContact(ours)
  })
  const warnings = async (changes: Json) => (await ours.send('POST', '/payments', ours.receiptBody({ contact_id, amount: 777, ...changes }))).warnings

  test.each<[Json, boolean]>([
    [{ reference_number: 'UTR 1' }, true], [{}, true], [{ reference_number: '' }, true], [{ reference_number: 'UTR 2' }, false],
    [{ amount: 778 }, false], [{ date: '2026-11-17' }, true], [{ date: '2026-11-18' }, false], [{ date: '2026-11-02' }, false],
    [{ currency_code: 'USD', exchange_rate: 80 }, false],
  ])('%j', async (changes, alike) => {
    contact_id = await addContact(ours)
    await ours.payment(ours.receiptBody({ contact_id, amount: 777, reference_number: 'UTR 1' }))
    const told = await warnings(changes)
    expect(told.map(({ code }: Json) => code)).toEqual(alike ? ['validation.duplicate_resource'] : [])
  })

  test('name the earlier payment', async () => {
    const own = await addContact(ours)
    const earlier = await ours.payment(ours.receiptBody({ contact_id: own, amount: 12.5, reference_number: 'C 1', date: '2026-11-03' }))
    expect(await warnings({ contact_id: own, amount: 12.5 })).toEqual([{
      code: 'validation.duplicate_resource', message: `This payment may be a duplicate of ${earlier.payment_number}.`,
      details: {
        existing_payment_id: earlier.payment_id, existing_date: '2026-11-03T00:00:00.000Z', existing_amount: 12.5, existing_reference: 'C 1',
      },
    }])
  })

  test('are not looked for where the organisation does not want it', async () => {
    await ours.setPreferences({ strictPaymentDedupe: false })
    expect([await warnings({}), await warnings({})]).toEqual([[], []])
    await ours.setPreferences({ strictPaymentDedupe: true })
  })
})

test('without a key a duplicate is refused', async () => {
  const twice = ours.receiptBody({ amount: 31.5, date: '2026-06-01' }) as NewPayment
  await ours.payment(twice)
  const [organization] = await service.sql<OrganizationRow>('SELECT * FROM organizations WHERE id = $1', ours.orgId)
  const caller: Caller = {
    subject: '', kind: 'SYSTEM', tier: 'DEFAULT', scopes: [], userId: null, partnerId: null, organization: organization!,
    origin: { request_id: null, ip: null, user_agent: null, source: 'PUBLIC_API' },
  }
  const context = { database: service.database, wakeRelay: () => undefined, forgetCallers: () => undefined, clock: () => new Date() }
  await expect(openBooks(context, caller, (books) => recordPayment(books, twice, { keyed: false })))
    .rejects.toMatchObject({ code: 'validation.duplicate_resource', status: 409, details: { existing_amount: 31.5 } })
})
