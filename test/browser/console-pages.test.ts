// The console as it is served: its files, its policy, its first page in a browser, and signing in.
import { describe, expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { buildConsole } from '../../bin/services/console-build.ts'
import { expectReadable, inBrowser, watchPage } from '../fixtures/browser.ts'
import { addPerson, givePassword, PASSWORD } from '../fixtures/persons.ts'
import { ROOT } from '../fixtures/root.ts'
import { useService } from '../fixtures/use-service.ts'

await buildConsole()
const service = await useService()
const { orgId } = await service.organization({ name: 'Saraswati Stationers' })
const email = await addPerson(service, orgId, 'OWNER', 'owner@saraswati.example')
await givePassword(service, orgId, email)

const ASSETS = join(ROOT, 'console', 'dist', 'assets')
const read = (path: string, headers: Record<string, string> = {}, method = 'GET') => fetch(service.origin + path, { headers, method, redirect: 'manual' })
const page = await (await read('/console')).text()
const scripts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)

describe('what is served', () => {
  test('the page, at each of its addresses, never kept, with a nonce of its own', async () => {
    const answers = await Promise.all(['/console', '/console/', '/console/invoices/1?x=2', '/console/..%2f..%2fpackage.json'].map((path) => read(path)))
    const nonces = answers.map((answer) => /'nonce-([\w-]{20,})'/.exec(answer.headers.get('content-security-policy')!)![1]!)
    expect(new Set(nonces).size).toBe(answers.length)
    for (const [place, answer] of answers.entries()) {
      expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('x-frame-options')]).toEqual([200, 'no-store', 'DENY'])
      expect(await answer.text()).toContain(`nonce="${nonces[place]}"`)
    }
  })

  test('under a policy that takes nothing from elsewhere and no script in the page', async () => {
    const policy = (await read('/console')).headers.get('content-security-policy')!.replace(/nonce-[\w-]+/, 'nonce-N')
    expect(policy.split('; ')).toEqual([
      "default-src 'none'", "script-src 'self'", "style-src 'self' 'nonce-N'", "connect-src 'self'", "img-src 'self' data: blob:", "font-src 'self'",
      "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'",
    ])
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|https?:/)
  })

  test.each([['br', 'br'], ['gzip, deflate', 'gzip'], ['identity', null], ['br;q=0, gzip', 'gzip']])('files, kept for ever, for a browser that takes %s', async (accepted, coding) => {
    for (const path of scripts) {
      const answer = await read(path, { 'accept-encoding': accepted })
      expect([path, answer.status, answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual([path, 200, coding, 'Accept-Encoding'])
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(readFileSync(join(ASSETS, path.slice('/console/assets/'.length))))
      const again = await read(path, { 'accept-encoding': accepted, 'if-none-match': answer.headers.get('etag')! })
      expect([again.status, await again.text()]).toEqual([304, ''])
      const head = await read(path, { 'accept-encoding': accepted }, 'HEAD')
      expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, answer.headers.get('etag'), ''])
    }
  })

  test.each([
    '/console/assets/absent.js', '/console/assets/..%2findex.html', '/console/assets/%2e%2e%2f%2e%2e%2fpackage.json', '/console/assets/..%5c..%5cpackage.json',
    '/console/assets/__proto__', '/console/assets/constructor', '/console/assets/index.html', '/console/assets/.built',
  ])('and nothing else: %s', async (path) => {
    const answer = await read(path)
    expect([answer.status, (await answer.json() as { code: string }).code]).toEqual([404, 'not_found.route'])
  })

  test('less than 300 kB for the first page, compressed by gzip', () => {
    // The page itself names what it needs at once; the first page after the sign-in is loaded with it.
    const names = readdirSync(ASSETS).filter((name) => name.endsWith('.gz'))
    const first = names.filter((name) => scripts.some((path) => path.endsWith(`/${name.slice(0, -3)}`)) || /^(home|page-head)-/.test(name))
    const bytes = first.reduce((sum, name) => sum + readFileSync(join(ASSETS, name)).length, 0)
    expect(first.every((name) => gunzipSync(readFileSync(join(ASSETS, name))).length > 0)).toBe(true)
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThan(300_000)
  })
})

inBrowser('in a browser', (browser) => {
  test('a person signs in, and out again', async () => {
    const context = await browser.context()
    const page = await context.newPage()
    const watched = watchPage(page, service.origin)
    await page.goto(`${service.origin}/console/invoices`)
    await expectReadable(page)
    await page.getByLabel('E-mail address').fill(email)
    await page.locator('input[type=password]').fill('wrong password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Invoices', exact: true, level: 1 }).waitFor()
    await page.getByText('No invoices yet').waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.getByRole('button', { name: 'You and your settings' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail address').waitFor()
    expect(watched).toEqual({ foreign: [], broken: [] })
    await context.close()
  })
})
