// The documents in the console, as a person works with them: a list, an invoice by hand, its approval, its payment, a void.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { BrowserContext, Page } from '@playwright/test'
import { buildConsole } from '../../bin/services/console-build.ts'
import { expectReadable, inBrowser, watchPage } from '../fixtures/browser.ts'
import { addPerson, givePassword, PASSWORD } from '../fixtures/persons.ts'
import { useService } from '../fixtures/use-service.ts'

await buildConsole()
const service = await useService()
const books = await service.organization({ name: 'Saraswati Stationers' })
const today = new Date().toISOString().slice(0, 10)

const ATTACK = `"><img src=x onerror="alert(1)"><script>alert(2)</script>{{7*7}}javascript:alert(3)`

async function create(path: string, body: object) {
  const answer = await books.post(path, body)
  expect([path, answer.status]).toEqual([path, 201])
  return answer.body
}
const owner = await addPerson(service, books.orgId, 'OWNER', 'owner@saraswati.example')
const viewer = await addPerson(service, books.orgId, 'VIEWER', 'viewer@saraswati.example')
for (const email of [owner, viewer]) await givePassword(service, books.orgId, email)
const { contact: school } = await create('/contacts', { contact_name: 'Vidya Mandir School', place_of_contact: 'IN-KA', payment_terms: 30 })
const { contact: attacker } = await create('/contacts', { contact_name: ATTACK.slice(0, 100), contact_type: 'BOTH', place_of_contact: 'IN-KA' })
const { taxes } = (await books.get('/taxes?per_page=200')).body
const tax = taxes.find(({ name }: { name: string }) => name === 'GST 18%').tax_id
await create('/items', { item_name: 'Ruled notebook', rate: 60, tax_id: tax })

async function signIn(context: BrowserContext, email: string, path: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${service.origin}/console/${path}`)
  await page.getByLabel('E-mail address').fill(email)
  await page.locator('input[type=password]').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return page
}

inBrowser('the documents', (browser) => {
  let context: BrowserContext
  let page: Page
  let watched: ReturnType<typeof watchPage>
  beforeAll(async () => {
    context = await browser.context()
    page = await signIn(context, owner, 'invoices')
    watched = watchPage(page, service.origin)
  })
  afterAll(async () => {
    expect(watched).toEqual({ foreign: [], broken: [] })
    await context.close()
  })
  const go = async (path: string, heading: string) => {
    await page.goto(`${service.origin}/console/${path}`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
  const newest = async () => (await books.get('/invoices?per_page=1')).body.invoices[0]

  test('an invoice is drawn up, approved, paid in part, and its journal shown', async () => {
    await page.keyboard.press('n')
    await page.getByRole('heading', { level: 1, name: 'New invoice' }).waitFor()
    await expectReadable(page)
    await page.getByRole('button', { name: 'Save the draft' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('combobox', { name: 'Customer' }).fill('Vidya')
    await page.getByRole('option', { name: 'Vidya Mandir School' }).click()
    await page.getByRole('combobox', { name: 'Item of line 1' }).fill('Ruled')
    await page.getByRole('option', { name: 'Ruled notebook' }).click()
    await page.getByRole('textbox', { name: 'Quantity of line 1' }).fill('10')
    await page.getByRole('button', { name: 'Save the draft' }).click()
    await page.getByText('Draft', { exact: true }).waitFor()
    // 10 x 60 and 18 % of it.
    expect(await newest()).toMatchObject({ customer_id: school.contact_id, status: 'DRAFT', total: 708, place_of_supply: 'IN-KA' })
    await page.getByText('₹708.00').first().waitFor()

    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Invoice approved.').waitFor()
    await page.getByText('Sent', { exact: true }).waitFor()
    await page.getByText('Accounts Receivable').waitFor()
    await expectReadable(page)

    await page.getByRole('button', { name: 'Record payment' }).click()
    await page.getByRole('dialog').getByLabel('Amount').fill('x')
    await page.getByRole('dialog').getByRole('button', { name: 'Record payment' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.getByRole('dialog').getByLabel('Amount').fill('200')
    await page.getByRole('dialog').getByRole('button', { name: 'Record payment' }).click()
    await page.getByText('Partially paid').waitFor()
    expect(await newest()).toMatchObject({ status: 'PARTIALLY_PAID', balance: 508 })
  })

  test('it is voided, once it is confirmed', async () => {
    const { invoice_id } = await newest()
    await go(`invoices/${invoice_id}`, 'INV-')
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Void' }).click()
    await page.getByRole('button', { name: 'Not now' }).click()
    expect((await newest()).status).toBe('PARTIALLY_PAID')
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Void' }).click()
    await page.getByLabel('Reason').fill('Entered twice')
    await page.getByRole('dialog').getByRole('button', { name: 'Void' }).click()
    await page.getByText('Cancelled').waitFor()
    expect((await newest()).status).toBe('CANCELLED')
  })

  test('a double click makes one payment, and a lost answer is asked for again under the same key', async () => {
    const { invoice } = await create('/invoices', { customer_id: school.contact_id, date: today, place_of_supply: 'IN-KA', auto_approve: true, line_items: [{ name: 'Paper', quantity: 1, rate: 100 }] })
    await go(`invoices/${invoice.invoice_id}`, invoice.invoice_number)
    let lost = 0
    await page.route('**/api/public/v1/payments', async (route) => {
      lost += 1
      // The service has answered, and the answer does not arrive.
      if (lost === 1) await route.fetch()
      await (lost === 1 ? route.abort('connectionreset') : route.continue())
    })
    await page.getByRole('button', { name: 'Record payment' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Record payment' }).dblclick()
    await page.getByText('Paid', { exact: true }).first().waitFor()
    await page.unroute('**/api/public/v1/payments')
    const { payments } = (await books.get(`/payments?contact_id=${school.contact_id}`)).body
    expect(payments.filter(({ amount }: { amount: number }) => amount === 100).length).toBe(1)
    expect(lost).toBe(2)
  })

  test('a list keeps its filters in the address, draws only the rows that are seen, and shows itself as curl', async () => {
    const body = (n: number) => ({ customer_id: school.contact_id, date: today, place_of_supply: 'IN-KA', reference_number: `R${n}`, line_items: [{ name: 'Paper', quantity: n, rate: 1 }] })
    for (let first = 1; first <= 250; first += 10) await Promise.all(Array.from({ length: 10 }, (_, n) => create('/invoices', body(first + n))))
    await go('invoices?status=DRAFT', 'Invoices')
    await page.getByText('100 read so far').waitFor()
    await expectReadable(page)
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    // The focus moves with the next frame.
    await page.locator('[data-index="1"] :focus').waitFor()
    for (let tries = 0; tries < 60 && await page.getByText('250 records').count() === 0; tries += 1) {
      await page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
      await page.waitForTimeout(100)
    }
    await page.getByText('250 records').waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    await page.evaluate('window.scrollTo(0, 0)')
    await page.getByLabel('Reference').fill('R7')
    await page.keyboard.press('Enter')
    await page.getByText('1 record', { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('reference_number')).toBe('R7')
    await page.getByRole('button', { name: 'Show as curl' }).click()
    expect(await page.getByRole('dialog').textContent()).toContain('/api/public/v1/invoices?status=DRAFT&reference_number=R7')
    expect(await page.getByRole('dialog').textContent()).not.toContain(books.token)
  })

  test('text of others is shown as text, wherever it stands', async () => {
    const line_items = [{ name: ATTACK, description: ATTACK, quantity: 1, rate: 10, unit: 'NOS' }]
    const common = { date: today, place_of_supply: 'IN-KA', reference_number: ATTACK.slice(0, 100), notes: ATTACK, line_items }
    const { invoice } = await create('/invoices', { ...common, customer_id: attacker.contact_id, auto_approve: true })
    const { bill } = await create('/bills', { ...common, vendor_id: attacker.contact_id })
    const { estimate } = await create('/estimates', { ...common, customer_id: attacker.contact_id })
    const accounts = (await books.get('/accounts?per_page=200')).body.accounts
    const [bank, rent] = ['BANK', 'EXPENSE'].map((type) => accounts.find(({ account_type }: { account_type: string }) => account_type === type).account_id)
    const { journal } = await create('/journals', { date: today, memo: ATTACK, lines: [{ account_id: rent, debit: 5, description: ATTACK }, { account_id: bank, credit: 5 }] })
    const { expense } = await create('/expenses', { date: today, account_id: rent, amount: 5, paid_through_account_id: bank, notes: ATTACK })
    const { payment } = await create('/payments', { flow: 'INCOMING', contact_id: attacker.contact_id, date: today, amount: 3, description: ATTACK, reference_number: ATTACK.slice(0, 100) })
    const owners = await service.token(books.orgId, { userId: (await service.sql<{ id: string }>('SELECT id FROM users WHERE org_id = $1 AND role = $2 LIMIT 1', books.orgId, 'OWNER'))[0]!.id })
    const commented = await service.call('POST', '/comments', { token: owners, body: { entity_type: 'INVOICE', entity_id: invoice.invoice_id, body: ATTACK } })
    expect(commented.status).toBe(201)
    await books.post(`/invoices/${invoice.invoice_id}/dispute`, { reason: ATTACK })
    const pages = { invoices: invoice, bills: bill, estimates: estimate, journals: journal, expenses: expense, payments: payment }
    for (const [path, document] of Object.entries(pages)) {
      const one = path.slice(0, -1)
      await go(path, '')
      await page.getByRole('cell').first().waitFor()
      await go(`${path}/${document[`${one}_id`]}`, document[`${one}_number`])
      for (const tab of await page.getByRole('tab').all()) await tab.click()
      await page.waitForTimeout(200)
      expect([path, await page.locator('main img, main script').count()]).toEqual([path, 0])
    }
    await go(`invoices/${invoice.invoice_id}`, invoice.invoice_number)
    await page.getByRole('tab', { name: 'Comments' }).click()
    await page.getByRole('article').getByText(ATTACK).waitFor()
  })

  describe('every list and page of a kind can be read', () => {
    test.each([
      ['home', '', 'Good day'], ['estimates', 'estimates', 'Estimates'], ['sales orders', 'sales_orders', 'Sales orders'], ['credit notes', 'credit_notes', 'Credit notes'],
      ['bills', 'bills', 'Bills'], ['purchase orders', 'purchase_orders', 'Purchase orders'], ['debit notes', 'debit_notes', 'Debit notes'],
      ['expenses', 'expenses', 'Expenses'], ['payments', 'payments', 'Payments'], ['journals', 'journals', 'Journals'],
    ])('%s', async (_name, path, heading) => {
      await go(path, heading)
      await page.locator('[aria-busy=true], [aria-label=Loading]').first().waitFor({ state: 'detached' })
      await expectReadable(page)
      const link = page.locator('.record-link').first()
      if (await link.count() === 0) return
      await link.click()
      await page.getByRole('tab').first().waitFor()
      await expectReadable(page)
    })
  })

  test('a viewer is offered nothing that changes the books', async () => {
    const other = await browser.context()
    const reading = await signIn(other, viewer, 'invoices')
    await reading.locator('.record-link').first().waitFor()
    expect(await reading.getByRole('link', { name: 'New invoice' }).count()).toBe(0)
    await reading.locator('.record-link').first().click()
    await reading.getByRole('tab').first().waitFor()
    expect(await reading.getByRole('button', { name: /Actions|Approve|Record payment/ }).count()).toBe(0)
    await other.close()
  })
})
