// The pages of schedules and settings in the console: what owners change, and what other roles are shown of it.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BrowserContext, Page } from '@playwright/test'
import { buildConsole } from '../../bin/services/console-build.ts'
import { AHEAD } from '../fixtures/bodies.ts'
import { inBrowser, watchPage } from '../fixtures/browser.ts'
import { expectReadableAs, signInto } from '../fixtures/console.ts'
import { addPerson, givePassword, signIn } from '../fixtures/persons.ts'
import { useService } from '../fixtures/use-service.ts'

await buildConsole()
const service = await useService()
const books = await service.organization({ name: 'Saraswati Stationers' })
const person = async (role: 'OWNER' | 'ACCOUNTANT' | 'VIEWER') => {
  const email = await addPerson(service, books.orgId, role, `${role.toLowerCase()}@saraswati.example`)
  await givePassword(service, books.orgId, email)
  return email
}
const [owner, accountant, viewer] = [await person('OWNER'), await person('ACCOUNTANT'), await person('VIEWER')]
async function create(path: string, body: object) {
  const answer = await books.post(path, body)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}
const { contact } = await create('/contacts', { contact_name: 'Vidya Mandir', place_of_contact: 'IN-KA' })
const template_payload = { customer_id: contact.contact_id, place_of_supply: 'IN-KA', line_items: [{ name: 'Rent {{month}}', quantity: 1, rate: 25000 }] }
await create('/recurring', { entity_type: 'INVOICE', name: 'Rent of the shop', frequency: 'MONTHLY', start_date: `${AHEAD}-01-31`, month_anchor: 'LAST_DAY', template_payload })
const { recurring } = (await books.get('/recurring')).body
const schedule = recurring[0].recurring_id as string

inBrowser('schedules and settings', (browser) => {
  let context: BrowserContext
  let page: Page
  let watched: ReturnType<typeof watchPage>
  beforeAll(async () => {
    context = await browser.context()
    page = await signInto(context, service.origin, owner, 'schedules')
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
  const dialog = () => page.getByRole('dialog')
  const answer = (does: string) => dialog().getByRole('button', { name: does, exact: true }).click()
  const cell = (name: string) => page.getByRole('cell', { name, exact: true })

  test('a schedule is paused, resumed and changed', async () => {
    await page.getByRole('link', { name: 'Rent of the shop' }).waitFor()
    await expectReadableAs(page, 'schedules')
    await page.getByRole('link', { name: 'Rent of the shop' }).click()
    await page.getByText(`28 Feb ${AHEAD}`).or(page.getByText(`29 Feb ${AHEAD}`)).first().waitFor()
    await expectReadableAs(page, 'schedule')
    await page.getByRole('button', { name: 'Pause' }).click()
    await answer('Pause')
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    expect((await books.get(`/recurring/${schedule}`)).body.recurring.status).toBe('PAUSED')
    await page.getByRole('button', { name: 'Resume' }).click()
    await answer('Resume')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: /Change/ }).click()
    await dialog().getByLabel('Most documents').fill('3')
    await answer('Save')
    await page.getByText('0 of at most 3').waitFor()
    expect((await books.get(`/recurring/${schedule}`)).body.recurring).toMatchObject({ status: 'ACTIVE', max_runs: 3, name: 'Rent of the shop' })
  })

  test('preferences are read, changed and refused at their fields', async () => {
    await go('preferences', 'Preferences')
    await page.getByLabel('Terms').fill('Payment within 30 days.')
    await expectReadableAs(page, 'preferences')
    await page.getByLabel('IFSC').fill('HDFC')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('IFSC').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('IFSC').fill('')
    await page.getByLabel('Template').selectOption('modern')
    await page.getByLabel('Remind customers of unpaid invoices').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Preferences updated.').waitFor()
    const kept = (await (await signIn(service, owner)).call('GET', '/preferences')).body.preferences
    expect(kept).toMatchObject({ invoiceTemplate: 'modern', pdf: { terms: 'Payment within 30 days.', bankDetails: null }, reminders: { enabled: true, days: [-3, 0, 7, 15, 30] } })
  })

  test('a branch is opened, given an address, and closed', async () => {
    await go('branches', 'Branches')
    await page.getByRole('button', { name: 'New branch' }).click()
    await dialog().getByLabel('Name').fill('Mysuru')
    await dialog().getByLabel('Code').fill('MYS')
    await dialog().getByLabel('State').fill('IN-KA')
    await answer('Open the branch')
    await cell('Mysuru').waitFor()
    await page.getByRole('button', { name: 'Change: Mysuru' }).click()
    await dialog().getByLabel('Street').first().fill('7 Chord Road')
    await expectReadableAs(page, 'branch-dialog')
    await answer('Save')
    await dialog().waitFor({ state: 'detached' })
    await expectReadableAs(page, 'branches')
    const { branches } = (await books.get('/branches')).body
    expect(branches.find(({ code }: { code: string }) => code === 'MYS')).toMatchObject({ address: { address: '7 Chord Road', city: null }, dispatch_address: null })
    await page.getByRole('button', { name: 'Close: Mysuru' }).click()
    await answer('Close the branch')
    await cell('Mysuru').waitFor({ state: 'detached' })
  })

  test('cost centers and exchange rates are kept', async () => {
    await go('cost-centers', 'Cost centers')
    await page.getByRole('button', { name: 'New cost center' }).click()
    await dialog().getByLabel('Code').fill('SALES')
    await dialog().getByLabel('Name').fill('Sales')
    await answer('Open the cost center')
    await cell('SALES').waitFor()
    await expectReadableAs(page, 'cost-centers')
    await go('exchange-rates', 'Exchange rates')
    await page.getByRole('button', { name: 'Record a rate' }).click()
    await dialog().getByLabel('Rate').fill('83.25')
    await answer('Record')
    await cell('83.25').waitFor()
    await expectReadableAs(page, 'exchange-rates')
  })

  test('taxes and numbers are read', async () => {
    await go('taxes', 'Taxes')
    await cell('GST 18%').waitFor()
    await expectReadableAs(page, 'taxes')
    await go('numbers', 'Invoice numbers')
    await page.getByRole('cell', { name: /001$/ }).waitFor()
    await expectReadableAs(page, 'numbers')
  })

  test('a role is changed, a member removed; the last owner stays', async () => {
    await go('members', 'Members')
    await cell(viewer).waitFor()
    await expectReadableAs(page, 'members')
    await page.getByRole('button', { name: `Role: ${viewer}` }).click()
    await dialog().getByLabel('Role').selectOption('ACCOUNTANT')
    await answer('Save')
    await dialog().waitFor({ state: 'detached' })
    await cell('Accountant').nth(1).waitFor()
    await page.getByRole('button', { name: `Remove: ${owner}` }).click()
    await answer('Remove')
    await dialog().getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
  })

  test('an owner invites somebody, and withdraws it', async () => {
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog().getByLabel('E-mail address').fill('ravi@weavers.example')
    await dialog().getByLabel('Role').selectOption('ACCOUNTANT')
    await answer('Invite')
    await cell('ravi@weavers.example').waitFor()
    await expectReadableAs(page, 'invited')
    await page.getByRole('button', { name: 'Withdraw: ravi@weavers.example' }).click()
    await answer('Withdraw')
    await cell('ravi@weavers.example').waitFor({ state: 'detached' })
  })

  test('another session of the person is ended', async () => {
    const other = await signIn(service, owner)
    await go('sessions', 'Your sessions')
    await page.getByText('This one', { exact: true }).waitFor()
    await expectReadableAs(page, 'sessions')
    for (let left = await page.getByRole('button', { name: /^End: / }).count(); left > 0; left -= 1) {
      await page.getByRole('button', { name: /^End: / }).first().click()
      await answer('End it')
      await dialog().waitFor({ state: 'detached' })
    }
    expect((await other.call('GET', '/session')).status).toBe(401)
    await go('apps', 'Allowed apps')
    await page.getByText('No allowed apps yet').waitFor()
    await expectReadableAs(page, 'apps')
  })

  test('an accountant reads preferences, and keeps cost centers but no branches', async () => {
    const theirs = await browser.context()
    const seen = await signInto(theirs, service.origin, accountant, 'preferences')
    await seen.getByText('Owners change them').waitFor()
    expect([await seen.getByLabel('Terms').isDisabled(), await seen.getByRole('button', { name: 'Save' }).count()]).toEqual([true, 0])
    await expectReadableAs(seen, 'preferences-read')
    expect(await seen.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Members' }).count()).toBe(0)
    await seen.goto(`${service.origin}/console/branches`)
    await seen.getByRole('row').nth(1).waitFor()
    expect(await seen.getByRole('button', { name: 'New branch' }).count()).toBe(0)
    await seen.goto(`${service.origin}/console/cost-centers`)
    await seen.getByRole('button', { name: 'New cost center' }).waitFor()
    await seen.goto(`${service.origin}/console/members`)
    expect(await seen.getByRole('alert').innerText()).toContain('Your role in this organisation does not allow this')
    await theirs.close()
  })
})
