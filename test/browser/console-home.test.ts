// The home page of the console says what waits for a person, of the organisation that they have chosen.
import { expect, test } from '@jest/globals'
import { buildConsole } from '../../bin/services/console-build.ts'
import { inBrowser, watchPage } from '../fixtures/browser.ts'
import { addPerson, givePassword, PASSWORD } from '../fixtures/persons.ts'
import { useService } from '../fixtures/use-service.ts'

await buildConsole()
const service = await useService()
const today = new Date().toISOString().slice(0, 10)
const [silks, mill] = await Promise.all(['Kanchi Silks', 'Deccan Mill'].map((name) => service.organization({ name })))
const email = await addPerson(service, silks!.orgId, 'OWNER', 'usha@silks.example')
await addPerson(service, mill!.orgId, 'VIEWER', email)
await givePassword(service, silks!.orgId, email)

const { contact } = (await mill!.post('/contacts', { contact_name: 'Weavers', place_of_contact: 'IN-KA' })).body
for (const quantity of [1, 2]) {
  const draft = { customer_id: contact.contact_id, date: today, place_of_supply: 'IN-KA', line_items: [{ name: 'Cloth', quantity, rate: 10 }] }
  expect((await mill!.post('/invoices', draft)).status).toBe(201)
}
await service.sql(`UPDATE invoices SET created_time = created_time - interval '8 days' WHERE org_id = $1 AND total = 1000`, mill!.orgId)
const endpoint = (await mill!.post('/webhooks/endpoints', { url: 'http://127.0.0.1:9/', events: ['INVOICE_CREATED'] })).body.endpoint
expect((await mill!.post(`/webhooks/endpoints/${endpoint.endpoint_id}/disable`)).status).toBe(200)

inBrowser('home', (browser) => {
  test('names what waits, and follows the chosen organisation, also in the next visit', async () => {
    const context = await browser.context()
    const page = await context.newPage()
    const watched = watchPage(page, service.origin)
    await page.goto(`${service.origin}/console`)
    await page.getByLabel('E-mail address').fill(email)
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.keyboard.press('Enter')
    const choose = async (name: string) => {
      await page.getByRole('button', { name: /^Organisation: / }).click()
      await page.getByRole('menuitem', { name }).click()
      await page.getByRole('button', { name: `Organisation: ${name}` }).waitFor()
    }
    await choose('Kanchi Silks')
    await page.getByText('Nothing waits for you.').waitFor()
    await choose('Deccan Mill')
    await page.getByText('Drafts older than a week: 1').waitFor()
    await page.getByText('Endpoints that fail or are disabled: 1').waitFor()
    // The same figures, for whoever does not see the charts.
    const receivables = page.getByRole('figure').filter({ hasText: 'Receivables' })
    await receivables.getByText('As a table').click()
    await receivables.getByRole('table').getByRole('row').nth(6).waitFor()
    await page.getByRole('link', { name: /Old drafts of invoices/ }).click()
    await page.getByText('2 records').waitFor()
    expect(await page.getByRole('cell').first().textContent()).toMatch(/001$/)

    const again = await context.newPage()
    await again.goto(`${service.origin}/console/invoices`)
    await again.getByText('2 records').waitFor()
    expect(watched).toEqual({ foreign: [], broken: [] })
    await context.close()
  })

  test('keys lead to pages, and are listed', async () => {
    const context = await browser.context()
    const page = await context.newPage()
    await page.goto(`${service.origin}/console`)
    await page.getByLabel('E-mail address').fill(email)
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the page')
    await page.keyboard.press('Enter')
    await page.keyboard.press('g')
    await page.keyboard.press('b')
    await page.getByRole('heading', { level: 1, name: 'Bills' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('a new invoice').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT')
    await context.close()
  })
})
