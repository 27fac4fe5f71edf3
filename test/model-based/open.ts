// Where a run of the model begins: a new organisation, and the empty model of its books.
import { created } from '../fixtures/organization.ts'
import type { Service } from '../fixtures/service.ts'
import { Books, type Rounding } from './books.ts'
import { Contact } from './contact.ts'
import type { Session } from './step.ts'

/** A new organisation in Karnataka with a customer, a vendor, and one who is both; and the empty model of its books. */
export async function openModel(service: Service, outcomes: Session['outcomes'], rounding: Rounding | null): Promise<{ books: Books; session: Session }> {
  const today = await aDayThatLasts()
  const client = await service.organization()
  // Preferences are set by a person who has signed in, never through the API.
  const preferences = { roundInvoiceTotals: rounding !== null, ...(rounding ? { roundingMethod: rounding } : {}) }
  await service.sql('UPDATE organizations SET preferences = preferences || $2::jsonb WHERE id = $1', client.orgId, JSON.stringify(preferences))
  const accounts = (await client.get('/accounts?per_page=500')).body.accounts as { name: string; account_id: string }[]
  const taxes = (await client.get('/taxes?per_page=200')).body.taxes as { tax_id: string; shape: string; cgst: number }[]
  const contacts = await Promise.all((['CUSTOMER', 'VENDOR', 'BOTH'] as const).map(async (type): Promise<Contact> => {
    const name = { CUSTOMER: 'Meena Sarees', VENDOR: 'Tiruppur Mills', BOTH: 'Surat Traders' }[type]
    const { contact } = await created(client.post('/contacts', { contact_name: name, contact_type: type, place_of_contact: 'IN-KA', payment_terms: 0 }))
    return new Contact({ id: contact.contact_id, name, type })
  }))
  return {
    books: new Books({
      today, contacts, rounding,
      accounts: Object.fromEntries(accounts.map(({ name, account_id }) => [name, account_id])),
      taxId: taxes.find(({ shape, cgst }) => shape === 'INTRA_STATE' && cgst === 9)!.tax_id,
    }),
    session: { service, client, keyed: [], unhandledErrorsBefore: service.unhandledErrors.length, outcomes },
  }
}

/** Today in India; tomorrow where today is about to end, so that no run sees midnight. */
async function aDayThatLasts(): Promise<string> {
  const now = Date.now() + 330 * 60_000
  const left = 86_400_000 - now % 86_400_000
  if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left + 10))
  return new Date(Date.now() + 330 * 60_000).toISOString().slice(0, 10)
}
