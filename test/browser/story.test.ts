// The console from the first sign-in to an app that acts for the person: npm start for real, Chromium, and not one call by hand.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { BrowserContext, Locator, Page } from '@playwright/test'
import type { DemoCard } from '../../bin/services/demo-card.ts'
import { freePort } from '../../bin/services/port.ts'
import { end } from '../../bin/services/process.ts'
import { Bahi, SignatureError, verifyWebhook } from '../../client/src/index.ts'
import { fencesOf } from '../docs/examples.ts'
import { inBrowser, watchPage } from '../fixtures/browser.ts'
import { openWebhookServer } from '../fixtures/webhook-server.ts'
import { childrenOf, demoCard, startLocalRun, statusOf, until, type LocalRun } from '../start/local-run.ts'

const SCHEDULE = 'Binding each month'
const SCHOOL = 'Vidya Mandir School'
const APP = 'Ledger Sync'
/** For what waits for a program that starts, a first PDF, a mail or a webhook. */
const PATIENT = { timeout: 90_000 }

const folder = mkdtempSync(join(tmpdir(), 'bahi-story-'))
const dataDir = join(folder, 'data')
const receiver = await openWebhookServer('')
receiver.answer = () => 204
let run: LocalRun
let card: DemoCard
let app: ChildProcess | undefined

beforeAll(async () => {
  run = startLocalRun(dataDir, await freePort(undefined))
  await run.says(/Bahi is ready after/, 240_000)
  card = demoCard(dataDir)
  // The one thing that the console leaves to programs.
  const books = new Bahi({ baseUrl: card.base_url, token: card.token })
  const [school] = await Array.fromAsync(books.pages('/contacts', { query: { search: SCHOOL } }))
  await books.post('/recurring', { body: {
    entity_type: 'INVOICE', name: SCHEDULE, frequency: 'MONTHLY', start_date: '2099-01-01',
    template_payload: { customer_id: school!.contact_id, place_of_supply: 'IN-KA', line_items: [{ name: 'Binding', quantity: 10, rate: 45 }] },
  } })
}, 300_000)

afterAll(async () => {
  app?.kill()
  await receiver.close()
  run.kill('SIGTERM')
  await run.ended
  for (const child of childrenOf(dataDir).toReversed()) await end(child, { patienceMs: 5000 })
  rmSync(folder, { recursive: true, force: true })
}, 120_000)

inBrowser('a person with a browser alone', (browser) => {
  let context: BrowserContext
  let page: Page
  let watched: ReturnType<typeof watchPage>
  let number: string
  const secrets: string[] = []
  beforeAll(async () => {
    context = await browser.context()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    page = await context.newPage()
    watched = watchPage(page, new URL(card.console_url!).origin)
  })
  afterAll(() => context.close())

  const dialog = () => page.getByRole('dialog')
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name })
  const press = (name: string, where: Page | Locator = page) => where.getByRole('button', { name, exact: true }).click()
  const open = async (link: string, title: string) => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: link, exact: true }).click()
    await heading(title).waitFor()
  }
  const choose = async (action: string) => {
    await press('Actions')
    await page.getByRole('menuitem', { name: action }).click()
  }
  /** What the service shows once, taken as a person takes it: copied. */
  const copied = async (label: string): Promise<string> => {
    await press(`Copy: ${label}`, dialog())
    await page.getByRole('button', { name: `${label}: copied` }).waitFor()
    return page.evaluate('navigator.clipboard.readText()')
  }

  test('signs in as the owner of demo.json', async () => {
    await page.goto(card.console_url!)
    await page.getByLabel('E-mail address').fill(card.user!.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(card.user!.password)
    await press('Sign in')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await heading(/Good/).waitFor()
  })

  test('adds a webhook endpoint, and keeps its secret', async () => {
    await open('Endpoints', 'Webhook endpoints')
    await press('New endpoint')
    await dialog().getByLabel('URL').fill(receiver.url)
    await dialog().getByLabel('INVOICE_CREATED', { exact: true }).check()
    await press('Register', dialog())
    secrets.push(await copied('Secret'))
    await press('I have kept it')
    await page.getByRole('link', { name: receiver.url }).waitFor()
  })

  test('draws up an invoice, approves it, and sends it by mail', async () => {
    await open('Invoices', 'Invoices')
    await page.getByRole('link', { name: 'New invoice' }).click()
    await heading('New invoice').waitFor()
    await page.getByRole('combobox', { name: 'Customer' }).fill('Vidya')
    await page.getByRole('option', { name: SCHOOL }).click()
    await page.getByRole('combobox', { name: 'Item of line 1' }).fill('binding')
    await page.getByRole('option', { name: 'Book binding' }).click()
    await page.getByRole('textbox', { name: 'Quantity of line 1' }).fill('20')
    await page.getByLabel('Approve at once').check()
    await press('Create and approve')
    // 20 x 45, and 18 % of it.
    await page.getByText('₹1,062.00').first().waitFor()
    number = /INV-[\w/-]*\d/.exec(await heading(/INV-/).innerText())![0]
    await choose('Send by mail')
    await dialog().getByLabel('To').and(page.getByRole('textbox')).waitFor()
    expect(await dialog().getByLabel('To').inputValue()).toBe('office@vidyamandir.example')
    await press('Send by mail', dialog())
    await dialog().waitFor({ state: 'detached', ...PATIENT })
    await page.getByRole('tab', { name: 'Mails' }).click()
    await page.getByRole('article').getByText(/office@vidyamandir\.example: /).waitFor(PATIENT)
  })

  test('reads the mail in the mailbox', async () => {
    const mailbox = await context.newPage()
    await mailbox.goto(card.mailbox_url!)
    await mailbox.getByRole('link', { name: number }).click()
    await mailbox.getByText('office@vidyamandir.example').first().waitFor()
    await mailbox.getByRole('listitem').getByRole('link', { name: /\.pdf$/ }).waitFor()
    await mailbox.getByTitle('The message as it is read').contentFrame().getByText(number).first().waitFor()
    await mailbox.close()
  })

  test('watches the webhook of the invoice arrive, signed', async () => {
    await open('Deliveries', 'Webhook deliveries')
    await page.getByRole('row', { name: /INVOICE_CREATED/ }).getByRole('link').click()
    await heading(/INVOICE_CREATED.*Delivered/i).waitFor(PATIENT)
    await page.getByRole('article', { name: 'Attempt 1' }).getByText('answered 204').waitFor()
    await page.getByRole('region', { name: 'What is sent' }).getByText(number).waitFor()
    const [{ body, headers }] = await receiver.received(1) as [(typeof receiver.arrivals)[0]]
    expect(await verifyWebhook(body, headers, secrets)).toMatchObject({ event_type: 'INVOICE_CREATED', data: { number, total: 1062 } })
    await expect(verifyWebhook(body, headers, `${secrets[0]}x`)).rejects.toThrow(SignatureError)
  })

  test('rotates the secret of the endpoint; the old one goes on for a while', async () => {
    await open('Endpoints', 'Webhook endpoints')
    await page.getByRole('link', { name: receiver.url }).click()
    await heading(new RegExp(receiver.url)).waitFor()
    await choose('Rotate the secret')
    await press('Rotate', dialog())
    secrets.push(await copied('Secret'))
    await press('I have kept it')
    await page.getByText('Old secret signs until').waitFor()
    await press('Test')
    await press('Send', dialog())
    await page.getByRole('row', { name: /webhook\.test/ }).waitFor()
    const { body, headers } = (await receiver.received(2)).at(-1)!
    expect(secrets[1]).not.toBe(secrets[0])
    for (const secret of secrets) expect(await verifyWebhook(body, headers, secret)).toMatchObject({ event_type: 'webhook.test' })
  })

  test('pauses a schedule, and home says that it is paused', async () => {
    await open('Schedules', 'Schedules')
    await page.getByRole('link', { name: SCHEDULE }).click()
    await heading(new RegExp(`${SCHEDULE}.*Active`, 'i')).waitFor()
    await press('Pause')
    await press('Pause', dialog())
    await heading(new RegExp(`${SCHEDULE}.*Paused`, 'i')).waitFor()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await open('Home', 'Good')
    await page.getByText('Schedules that are paused or failed').waitFor()
  })

  test('registers an app, allows it to act, and withdraws that again', async () => {
    await open('OAuth clients', 'OAuth clients')
    await press('New client')
    await dialog().getByLabel('Name').fill(APP)
    await dialog().getByLabel('Redirect addresses').fill('http://127.0.0.1/callback')
    await press('Register', dialog())
    const at = await startApp(await copied('client_id'), await copied('client_secret'))
    await press('I have kept it')
    expect(watched).toEqual({ foreign: [], broken: [] })

    const visit = await context.newPage()
    await visit.goto(at)
    await visit.getByRole('heading', { name: `Allow ${APP} to act for you?` }).waitFor()
    expect(await visit.getByRole('listitem').allTextContents()).toEqual(['See invoices'])
    await visit.getByRole('checkbox', { name: card.organization.name }).check()
    await press('Allow', visit)
    // Three of the demonstration, and the one of this story.
    await visit.getByText('4 invoices').waitFor()

    await open('Allowed apps', 'Allowed apps')
    await press(`Withdraw: ${APP}`)
    await press('Withdraw', dialog())
    await page.getByText('No allowed apps yet').waitFor()
    await visit.reload()
    await visit.getByText('invalid_grant').waitFor()
    await visit.close()
    expect(watched).toEqual({ foreign: [], broken: [] })
  })
})

/** Starts the app of docs/oauth.md; answers its address. */
async function startApp(clientId: string, clientSecret: string): Promise<string> {
  const port = await freePort(undefined)
  const [printed] = fencesOf('docs/oauth.md').filter(({ info }) => info[0] === 'js')
  writeFileSync(join(folder, 'app.mjs'), printed!.text)
  const env = { ...process.env, BAHI: new URL(card.base_url).origin, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT: String(port) }
  app = spawn(process.execPath, [join(folder, 'app.mjs')], { env, stdio: 'inherit' })
  const at = `http://127.0.0.1:${port}`
  await until(async () => await statusOf(`${at}/invoices`) !== 0, 30_000, () => 'the app does not start')
  return at
}
