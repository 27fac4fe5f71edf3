// The pages of developers in the console: tokens, endpoints, deliveries, requests, OAuth clients.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BrowserContext, Page } from '@playwright/test'
import { buildConsole } from '../../bin/services/console-build.ts'
import { inBrowser, watchPage } from '../fixtures/browser.ts'
import { expectReadableAs, signInto } from '../fixtures/console.ts'
import { addPerson, givePassword } from '../fixtures/persons.ts'
import { useService } from '../fixtures/use-service.ts'

await buildConsole()
const service = await useService()
const books = await service.organization({ name: 'Saraswati Stationers' })
const people = Object.fromEntries(await Promise.all((['OWNER', 'ACCOUNTANT', 'VIEWER'] as const).map(async (role) => {
  const email = await addPerson(service, books.orgId, role, `${role.toLowerCase()}@saraswati.example`)
  await givePassword(service, books.orgId, email)
  return [role, email]
}))) as Record<'OWNER' | 'ACCOUNTANT' | 'VIEWER', string>
const { endpoint } = (await books.post('/webhooks/endpoints', { url: 'http://127.0.0.1:9/hook', events: ['INVOICE_CREATED'], description: '<img src=x onerror=alert(1)>' })).body
const { contact } = (await books.post('/contacts', { contact_name: 'Vidya Mandir', place_of_contact: 'IN-KA' })).body
const invoice = await books.post('/invoices', { customer_id: contact.contact_id, place_of_supply: 'IN-KA', date: new Date().toISOString().slice(0, 10), line_items: [{ name: 'Books', quantity: 1, rate: 100 }] })
if (invoice.status !== 201) throw new Error(invoice.text)
await books.post(`/webhooks/endpoints/${endpoint.endpoint_id}/test`, {})

inBrowser('the pages of developers', (browser) => {
  let context: BrowserContext
  let page: Page
  let watched: ReturnType<typeof watchPage>
  beforeAll(async () => {
    context = await browser.context()
    page = await signInto(context, service.origin, people.OWNER, 'tokens')
    watched = watchPage(page, service.origin)
  })
  afterAll(async () => {
    expect(watched).toEqual({ foreign: [], broken: [] })
    await context.close()
  })
  const go = async (path: string, heading: string | RegExp) => {
    await page.goto(`${service.origin}/console/${path}`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
  const dialog = () => page.getByRole('dialog')

  test('a token is made, its value shown once, used, and revoked', async () => {
    await page.getByText('No tokens yet').or(page.getByRole('table')).first().waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog().getByLabel('Name').fill('Till')
    await dialog().getByLabel('invoices: read', { exact: true }).check()
    await expectReadableAs(page, 'token-dialog')
    await dialog().getByRole('button', { name: 'Make the token' }).click()
    const secret = await page.locator('[data-secret]').innerText()
    await expectReadableAs(page, 'dialog-1')
    const asked = (path: string) => fetch(`${service.origin}/api/public/v1${path}`, { headers: { authorization: `Bearer ${secret}` } })
    expect([(await asked('/invoices')).status, (await asked('/bills')).status]).toEqual([200, 403])
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('cell', { name: 'Till', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('cell', { name: 'Till', exact: true }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await expectReadableAs(page, 'tokens')
    await page.getByRole('button', { name: 'Show as curl' }).click()
    expect(await dialog().innerText()).toContain(`${service.origin}/internal/v1/tokens`)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Revoke: Till' }).click()
    await dialog().getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('cell', { name: 'Till', exact: true }).waitFor({ state: 'detached' })
    expect((await asked('/invoices')).status).toBe(401)
  })

  test('what the service refuses of a token is said at its field', async () => {
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog().getByRole('button', { name: 'Make the token' }).click()
    await dialog().getByRole('alert').waitFor()
    expect(await dialog().getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
    await page.keyboard.press('Escape')
  })

  test('an endpoint is registered, its secret rotated, the test event sent', async () => {
    await go('endpoints', 'Webhook endpoints')
    await page.getByRole('cell', { name: 'http://127.0.0.1:9/hook' }).waitFor()
    await expectReadableAs(page, 'endpoints')
    await page.getByRole('button', { name: 'New endpoint' }).click()
    await dialog().getByLabel('URL').fill('http://127.0.0.1:9/second')
    await dialog().getByLabel('INVOICE_PAID', { exact: true }).check()
    await expectReadableAs(page, 'endpoint-dialog')
    await dialog().getByRole('button', { name: 'Register' }).click()
    const first = await page.locator('[data-secret]').first().innerText()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('link', { name: 'http://127.0.0.1:9/second' }).click()
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: /Rotate the secret/ }).click()
    await dialog().getByRole('button', { name: 'Rotate' }).click()
    const second = await page.locator('[data-secret]').first().innerText()
    expect([second.length, second === first]).toEqual([first.length, false])
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByText('Old secret signs until').waitFor()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await dialog().getByRole('button', { name: 'Send' }).click()
    await page.getByRole('table').getByRole('row').nth(1).waitFor()
    await expectReadableAs(page, 'endpoint')
  })

  test('a delivery shows what is sent and its attempts', async () => {
    await go(`deliveries?endpoint_id=${endpoint.endpoint_id}`, 'Webhook deliveries')
    await page.getByRole('link', { name: 'INVOICE_CREATED' }).waitFor()
    await expectReadableAs(page, 'deliveries')
    await page.getByRole('link', { name: 'INVOICE_CREATED' }).click()
    await page.getByText('What is sent').waitFor()
    expect(await page.locator('pre').first().innerText()).toContain('INVOICE_CREATED')
    await expectReadableAs(page, 'delivery')
  })

  test('the request log finds a call by its id', async () => {
    const answer = await books.get('/bills')
    const id = answer.headers['x-request-id']!
    await go('requests', 'Requests')
    await page.getByRole('row').nth(1).waitFor()
    await expectReadableAs(page, 'requests')
    for (let tried = 0; tried < 40; tried += 1) {
      await go(`requests?request_id=${id}`, 'Requests')
      await page.locator('.records[aria-busy=false]').or(page.getByText('No requests like this')).first().waitFor()
      if (await page.getByRole('cell', { name: 'GET /bills' }).count() > 0) break
      await page.waitForTimeout(500)
    }
    expect(await page.getByRole('cell', { name: id }).count()).toBe(1)
  })

  test('an OAuth client is registered, its secret shown once', async () => {
    await go('clients', 'OAuth clients')
    await page.getByRole('button', { name: 'New client' }).click()
    await dialog().getByLabel('Name').fill('Till for all')
    await dialog().getByLabel('Redirect addresses').fill('https://till.example/callback')
    await expectReadableAs(page, 'dialog-2')
    await dialog().getByRole('button', { name: 'Register' }).click()
    await page.locator('[data-secret]').first().waitFor()
    expect(await page.locator('[data-secret]').count()).toBe(2)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('cell', { name: 'Till for all', exact: true }).waitFor()
    await expectReadableAs(page, 'clients')
  })

  test('a viewer is offered nothing that changes, and told in words what they may not see', async () => {
    const theirs = await browser.context()
    const seen = await signInto(theirs, service.origin, people.VIEWER, 'endpoints')
    await seen.getByRole('link', { name: 'http://127.0.0.1:9/hook' }).waitFor()
    expect(await seen.getByRole('button', { name: 'New endpoint' }).count()).toBe(0)
    expect(await seen.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /Tokens|Requests|OAuth/ }).count()).toBe(0)
    for (const path of ['tokens', 'requests', 'clients']) {
      await seen.goto(`${service.origin}/console/${path}`)
      expect(await seen.getByRole('alert').innerText()).toContain('Your role in this organisation does not allow this')
      expect(await seen.getByRole('button', { name: /^New / }).count()).toBe(0)
    }
    await expectReadableAs(seen, 'refused')
    await theirs.close()
  })
})
