// OAuth in a real browser: a person signs in, chooses organisations and consents, and the browser leads back to the app.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { axeFindings, inBrowser, watchPage } from '../fixtures/browser.ts'
import { authorizeUrl, exchangeCode, newPerson, registerApp, type App } from '../fixtures/oauth.ts'
import { PASSWORD } from '../fixtures/persons.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const first = await service.organization({ name: 'Asha Traders' })
const second = await service.organization({ name: 'Bharat Mills' })

inBrowser('in a browser', (browser) => {
  let server: Server
  let email = ''
  let app: App
  beforeAll(async () => {
    email = await newPerson(service, [first.orgId, second.orgId])
    server = createServer((request, response) => response.end(request.url?.startsWith('/callback') ? 'Back at the app' : ''))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
    const { port } = server.address() as AddressInfo
    app = { ...(await registerApp(service, { redirectUris: ['http://127.0.0.1/callback'] })), redirectUri: `http://127.0.0.1:${port}/callback` }
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  test('a person signs in and consents by the keyboard, without scripts; the next time nothing is asked', async () => {
    const context = await browser.context({ javaScriptEnabled: false })
    const page = await context.newPage()
    const watched = watchPage(page, service.origin)
    const url = authorizeUrl(service, app)
    await page.goto(url)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill('wrong password')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Allow Ledger Sync to act for you?' }).waitFor()
    expect(await page.getByRole('listitem').allTextContents()).toEqual(['See invoices', 'See contacts'])
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('Choose at least one organisation.').waitFor()
    await page.getByRole('checkbox', { name: /Bharat Mills/ }).focus()
    await page.keyboard.press('Space')
    // What the page asks of its own service until here is all that it asks of anybody.
    expect(watched).toEqual({ foreign: [], broken: [] })
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('Back at the app').waitFor()
    const back = new URL(page.url())
    expect([back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual(['st&te=1', service.origin])
    const { body } = await exchangeCode(service, app, back.searchParams.get('code')!)
    expect(body.organization_ids).toEqual([second.orgId])
    expect((await service.call('GET', `/invoices?organization_id=${second.orgId}`, { token: body.access_token })).status).toBe(200)
    await page.goto(url)
    await page.getByText('Back at the app').waitFor()
    expect(new URL(page.url()).searchParams.get('code')).not.toBe(back.searchParams.get('code'))
    await context.close()
  })

  test('both pages are readable by axe, in light and dark, at 360 px; a person who does not allow it leads back too', async () => {
    const context = await browser.context({ viewport: { width: 360, height: 740 } })
    const page = await context.newPage()
    const watched = watchPage(page, service.origin)
    const readable = async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect({ [colorScheme]: await axeFindings(page) }).toEqual({ [colorScheme]: [] })
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    }
    await page.goto(authorizeUrl(service, app, { scope: 'Svc.fullaccess.all Svc.bills.READ' }))
    await readable()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    await readable()
    expect(watched).toEqual({ foreign: [], broken: [] })
    await page.getByRole('button', { name: 'Do not allow' }).click()
    await page.getByText('Back at the app').waitFor()
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
    await context.close()
  })

  test('another page cannot show ours in a frame', async () => {
    const context = await browser.context()
    const page = await context.newPage()
    await page.goto(app.redirectUri)
    await page.setContent(`<iframe src="${authorizeUrl(service, app).replaceAll('&', '&amp;')}"></iframe>`)
    const frame = page.frames().at(-1)!
    await frame.waitForLoadState().catch(() => undefined)
    expect(await frame.content().catch(() => '')).not.toContain('Sign in to continue')
    await context.close()
  })
})
