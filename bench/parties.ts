// Creates the organisations whose books are measured: each with a customer, a vendor, three items, and one invoice to copy.
import { openDatabase } from '../models/database.ts'
import { mintPartnerKey } from '../models/partner-key.ts'
import type { Call } from './children/load.ts'
import type { Stage } from './stage.ts'

export interface Party {
  orgId: string
  token: string
  customerId: string
  vendorId: string
  itemIds: string[]
  taxId: string
}

/** Creates this many organisations, by the calls that a partner would make. */
export async function makeParties(stage: Stage, count: number, more: { sandbox?: boolean } = {}): Promise<Party[]> {
  const partnerKey = await newPartnerKey(stage)
  const parties: Party[] = []
  let begun = 0
  await Promise.all(Array.from({ length: 4 }, async () => {
    while (begun < count) {
      begun += 1
      stage.stopping.throwIfAborted()
      parties.push(await makeParty(stage.baseUrl, partnerKey, begun, more))
    }
  }))
  return parties
}

/** Mints a key for the partner of the bench. */
export async function newPartnerKey({ databaseUrl }: Pick<Stage, 'databaseUrl'>): Promise<string> {
  const database = openDatabase({ url: databaseUrl, pool: 1, name: 'bahi bench' })
  return mintPartnerKey(database, 'Bench', new Date()).finally(() => database.close())
}

async function makeParty(baseUrl: string, partnerKey: string, place: number, more: { sandbox?: boolean }): Promise<Party> {
  const { organization, token: { token } } = await post<{ organization: { org_id: string }; token: { token: string } }>(
    `${baseUrl}/partner/organizations`, { 'X-Partner-Key': partnerKey }, { name: `Stationers ${place}`, state_code: 'IN-KA', ...more })
  const headers = { Authorization: `Bearer ${token}` }
  const listed = await fetch(`${baseUrl}/taxes?shape=INTRA_STATE`, { headers })
  const { taxes } = await listed.json() as { taxes: { name: string; tax_id: string }[] }
  const taxId = taxes.find(({ name }) => name === 'GST 18%')!.tax_id
  const contact = async (contact_name: string, contact_type: string) => (await post<{ contact: { contact_id: string } }>(
    `${baseUrl}/contacts`, headers, { contact_name, contact_type, place_of_contact: 'IN-KA' })).contact.contact_id
  const itemIds: string[] = []
  for (const [name, rate] of [['Ruled notebook', 60], ['Ball pen, box', 180], ['Ink, litre', 400]] as const) {
    const { item } = await post<{ item: { item_id: string } }>(`${baseUrl}/items`, headers, {
      item_name: name, hsn_or_sac: '4820', unit: 'NOS', rate, purchase_rate: rate / 2, tax_id: taxId,
    })
    itemIds.push(item.item_id)
  }
  const party: Party = {
    orgId: organization.org_id, token, itemIds, taxId,
    customerId: await contact('Vidya Mandir School', 'CUSTOMER'), vendorId: await contact('Deccan Paper Mills', 'VENDOR'),
  }
  await post(`${baseUrl}/invoices`, headers, approvedInvoice(party).body)
  return party
}

/** POST /invoices for an approved invoice with this many item lines. */
export function approvedInvoice({ token, customerId, itemIds }: Party, lines = 3): Call {
  return {
    method: 'POST', path: '/api/public/v1/invoices', token,
    body: {
      customer_id: customerId, date: today(), place_of_supply: 'IN-KA', auto_approve: true, line_items: itemLines(itemIds, lines),
    },
  }
}

export const today = () => new Date().toISOString().slice(0, 10)

export const itemLines = (itemIds: string[], lines = 3) =>
  Array.from({ length: lines }, (_, index) => ({ item_id: itemIds[index % itemIds.length], quantity: 5 * (index + 1) }))

/** POSTs with a new Idempotency-Key; throws where the call is refused. */
export async function post<Made>(url: string, headers: Record<string, string>, body: unknown): Promise<Made> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
    body: JSON.stringify(body),
  })
  const json: unknown = await answer.json()
  if (!answer.ok) throw new Error(`POST ${new URL(url).pathname} answered ${answer.status}: ${JSON.stringify(json)}`)
  return json as Made
}
