// An organisation for each kill: with a customer to bill, a vendor who bills, and a webhook server that gets every invoice.
import { randomUUID } from 'node:crypto'
import { invoiceBody, line } from '../fixtures/bodies.ts'
import { callAt, clientOf, type Json } from '../fixtures/client.ts'
import { THIS_YEAR, TODAY } from '../fixtures/organization.ts'
import { openWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts'

export interface LoadedOrganization {
  orgId: string
  token: string
  customerId: string
  vendorId: string
  taxId: string
  /** Ids of the seeded accounts by name. */
  accounts: Record<string, string>
  customer: WebhookServer
  /** Every invoice of the list. */
  invoices(): Promise<Json[]>
  /** The bodies that have arrived, by delivery. */
  bodiesByDelivery(): Map<string, string>
}

// One delivery in so many is refused once: its retry waits in Temporal when the kill comes.
const REFUSED_ONE_IN = 5

export async function openLoadedOrganization(baseUrl: string, partnerKey: string): Promise<LoadedOrganization> {
  const call = callAt(baseUrl)
  const made = await call('POST', '/partner/organizations', { partnerKey, key: randomUUID(), body: { name: 'Mandi Wholesale', state_code: 'IN-KA' } })
  const { organization: { org_id: orgId }, token: { token } } = made.body
  const { post, put, get } = clientOf(call, orgId, token)
  // The secret is answered at registration; the server needs it before it takes anything.
  const { endpoint } = (await post('/webhooks/endpoints', { url: 'http://127.0.0.1:9/', events: ['INVOICE_CREATED'] })).body
  const customer = await openWebhookServer(endpoint.secret)
  customer.answer = refusingSome()
  await put(`/webhooks/endpoints/${endpoint.endpoint_id}`, { url: customer.url })
  return {
    orgId,
    token,
    customer,
    customerId: (await post('/contacts', { contact_name: 'Meena Sarees' })).body.contact.contact_id,
    vendorId: (await post('/contacts', { contact_name: 'Tiruppur Mills', contact_type: 'VENDOR' })).body.contact.contact_id,
    taxId: (await get('/taxes')).body.taxes.find(({ name }: Json) => name === 'GST 18%').tax_id,
    accounts: Object.fromEntries((await get('/accounts?per_page=500')).body.accounts.map(({ name, account_id }: Json) => [name, account_id])),
    bodiesByDelivery: () => new Map(customer.arrivals.map(({ deliveryId, body }) => [deliveryId, body.toString()])),
    async invoices() {
      const rows: Json[] = []
      for (let cursor = ''; ;) {
        const { body } = await get(`/invoices?per_page=200${cursor}`)
        rows.push(...body.invoices)
        if (!body.page_context.has_more_page) return rows
        cursor = `&cursor=${body.page_context.next_cursor}`
      }
    },
  }
}

/** The invoice of a key, every other one approved at once. */
export function bodyOf({ customerId, taxId }: LoadedOrganization, key: string): Record<string, unknown> {
  const line_items = [line({ quantity: 2, tax_id: taxId }), line({ name: 'Chalk', rate: 12.5, tax_id: taxId })]
  return invoiceBody({ customerId }, { date: TODAY, reference_number: key, auto_approve: key.charCodeAt(0) % 2 === 0, line_items })
}

/** The numbers 1 to `count` of the default series, in the order of text. */
export function numbersInARow(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `INV-${THIS_YEAR.label}-${String(place + 1).padStart(3, '0')}`).sort()
}

function refusingSome(): WebhookServer['answer'] {
  const seen = new Map<string, boolean>()
  return ({ deliveryId }) => {
    const isRefused = !seen.has(deliveryId) && seen.size % REFUSED_ONE_IN === 0
    seen.set(deliveryId, true)
    return isRefused ? 503 : 200
  }
}
