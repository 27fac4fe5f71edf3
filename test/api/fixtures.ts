// What document tests trade in: an organisation with a customer, its taxes, and the invoices drawn up for them.
import { dateInZone } from '../../domain/dates.ts'
import { financialYear } from '../../domain/financial-year.ts'
import { toMinor } from '../../domain/money.ts'
import { ledgerText } from '../domain/ledger-text.ts'
import { openOrganization, type Json, type Organization } from './organization.ts'
import type { Service } from './service.ts'

export const TODAY = dateInZone(new Date().toISOString(), 'Asia/Kolkata')
/** The financial year that every new organisation has as its first accounting period. */
export const THIS_YEAR = financialYear(TODAY, 4)

export interface Stall extends Organization {
  orgId: string
  customerId: string
  /** Ids of the seeded taxes by name: 'GST 18%', 'Exempt'. */
  taxes: Record<string, string>
  /** Ids of the seeded accounts by name. */
  accounts: Record<string, string>
  /** An invoice for the customer in the state, as it is answered. */
  invoice(changes?: Record<string, unknown>): Promise<Json>
  /** How such an invoice is refused. */
  refused(changes: Record<string, unknown>): Promise<Json>
  preferences(changes: Record<string, unknown>): Promise<void>
  /** The journals of a document, oldest first, as an accountant writes them. */
  ledger(documentId: string, currency?: string): Promise<string[]>
}

/** An organisation in Karnataka with the customer Meena Sarees. */
export async function openStall(service: Service, told: Record<string, unknown> = {}): Promise<Stall> {
  const organization = await openOrganization(service, told)
  const { client, get, send } = organization
  const customerId = await customer(organization)
  return {
    ...organization,
    orgId: client.orgId,
    customerId,
    taxes: idsByName((await get('/taxes?per_page=200')).taxes, 'tax_id'),
    accounts: idsByName((await get('/accounts?per_page=500')).accounts, 'account_id'),
    invoice: async (changes) => (await send('POST', '/invoices', invoiceBody(customerId, changes))).invoice,
    refused: (changes) => organization.refusal('POST', '/invoices', invoiceBody(customerId, changes)),
    async preferences(changes) {
      await service.sql('UPDATE organizations SET preferences = preferences || $2::jsonb WHERE id = $1', client.orgId, JSON.stringify(changes))
    },
    async ledger(documentId, currency = 'INR') {
      const { journals } = await get('/journals?sort=created_time&per_page=200')
      return journals.filter(({ source_id }: Json) => source_id === documentId).map((journal: Json) => written(journal, currency))
    },
  }
}

/** Adds a contact; answers its id. */
export async function customer({ send }: Organization, changes: Record<string, unknown> = {}): Promise<string> {
  return (await send('POST', '/contacts', { contact_name: 'Meena Sarees', ...changes })).contact.contact_id
}

/** Adds an item; answers its id. */
export async function item({ send }: Organization, changes: Record<string, unknown> = {}): Promise<string> {
  return (await send('POST', '/items', { item_name: 'Silk thread', rate: 500, ...changes })).item.item_id
}

/** One line of 100.00, untaxed, within the state. */
export function invoiceBody(customerId: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { customer_id: customerId, date: '2026-11-10', place_of_supply: 'IN-KA', line_items: [line()], ...changes }
}

/** An ad-hoc line of 1 x 100.00. */
export function line(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: 'Slates', quantity: 1, rate: 100, ...changes }
}

function idsByName(rows: Json[], id: string): Record<string, string> {
  return Object.fromEntries(rows.map((row) => [row.name, row[id]]))
}

function written({ lines }: Json, currency: string): string {
  return ledgerText(lines.map((each: Json) => ({
    accountId: each.account_name,
    debit: toMinor(each.debit, currency),
    credit: toMinor(each.credit, currency),
    description: each.description,
    contactId: each.contact_id === null ? null : 'customer',
  })), currency)
}
