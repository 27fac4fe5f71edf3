// What the pictures show: processes of the local run in the middle of their work, made through its API.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DemoCard } from '../services/demo-card.ts'

export interface Scene {
  orgId: string
  /** The workflow ids of one process of each kind. */
  delivery: string
  schedule: string
  bulk: string
  conversion: string
}

/** The few fields of the answers that are needed here. */
interface Answer {
  contacts: { contact_id: string }[]
  recurring: { recurring_id: string }
  bulk_id: string
  estimate: { estimate_id: string }
  endpoint: { endpoint_id: string }
  deliveries: { delivery_id: string; attempts_made: number }[]
}

const LATER_MS = 5 * 24 * 60 * 60 * 1000

/** Makes them, and waits until each is where it is to be seen. */
export async function setScene({
  base_url: baseUrl,
  token,
  organization: { org_id: orgId },
}: DemoCard): Promise<Scene> {
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      body: body && JSON.stringify(body),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
    })
    const json = (await answer.json()) as Answer
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`)
    return json
  }
  const post = (path: string, body: object = {}) => call('POST', path, body)
  const { contacts } = await call('GET', '/contacts?contact_type=CUSTOMER')
  const customer_id = contacts[0]!.contact_id
  const today = new Date().toISOString().slice(0, 10)
  const document = {
    customer_id,
    date: today,
    place_of_supply: 'IN-KA',
    line_items: [{ name: 'Notebook', quantity: 40, rate: 60 }],
  }

  const schedule = await post('/recurring', {
    entity_type: 'INVOICE',
    name: 'Rent of the shop',
    frequency: 'MONTHLY',
    start_date: new Date(Date.now() + LATER_MS).toISOString().slice(0, 10),
    template_payload: {
      ...document,
      auto_approve: true,
      line_items: [{ name: 'Rent {{month}} {{year}}', quantity: 1, rate: 25_000 }],
    },
  })
  await post(`/recurring/${schedule.recurring.recurring_id}/run`)
  const invoices = Array.from({ length: 30 }, (_, row) => ({
    ...document,
    place_of_supply: row % 10 === 9 ? 'Atlantis' : 'IN-KA',
    auto_approve: true,
  }))
  const bulk = await post('/bulk/invoices?async=true', { invoices })
  const { estimate } = await post('/estimates', document)
  await post(`/estimates/${estimate.estimate_id}/accept`)
  await post(`/estimates/${estimate.estimate_id}/convert`, { through: 'invoice', auto_approve: true })
  const delivery = await refusedDelivery(call, document)
  return {
    orgId,
    delivery: `webhook/${delivery}`,
    schedule: `recurring/${schedule.recurring.recurring_id}`,
    bulk: `bulk/${bulk.bulk_id}`,
    conversion: `convert/ESTIMATE/${estimate.estimate_id}`,
  }
}

// A receiver that answers 500 three times over, and is then closed: the delivery is on its ladder, with attempts behind it.
async function refusedDelivery(
  call: (method: string, path: string, body?: object) => Promise<Answer>,
  document: object,
): Promise<string> {
  const receiver = createServer((_request, answer) => void answer.writeHead(500).end('the till is closed'))
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/till`
  const { endpoint } = await call('POST', '/webhooks/endpoints', { url, events: ['INVOICE_CREATED'] })
  try {
    await call('POST', '/invoices', { ...document, auto_approve: true })
    for (;;) {
      const { deliveries } = await call('GET', `/webhooks/deliveries?endpoint_id=${endpoint.endpoint_id}`)
      const [delivery] = deliveries
      if (delivery && delivery.attempts_made >= 1) return delivery.delivery_id
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
}
