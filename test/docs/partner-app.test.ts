// The app of docs/oauth.md, run as printed: a person connects it, and it goes on when its token has expired.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from '@jest/globals'
import { freePort } from '../../bin/services/port.ts'
import { Browser, consent, newPerson, registerApp, signedInAt } from '../fixtures/oauth.ts'
import { useService } from '../fixtures/use-service.ts'
import { fencesOf } from './examples.ts'

const service = await useService()
const first = await service.organization({ name: 'Asha Traders' })
const second = await service.organization({ name: 'Bharat Mills' })
const folder = mkdtempSync(join(tmpdir(), 'bahi-app-'))
const port = await freePort(undefined)
const client = await registerApp(service, { redirectUris: ['http://127.0.0.1/callback'] })
const [printed] = fencesOf('docs/oauth.md').filter(({ info }) => info[0] === 'js')
writeFileSync(join(folder, 'app.mjs'), printed!.text)
const app = spawn(process.execPath, [join(folder, 'app.mjs')], {
  env: { ...process.env, BAHI: service.origin, CLIENT_ID: client.client_id, CLIENT_SECRET: client.client_secret!, PORT: String(port) }, stdio: 'inherit',
})
afterAll(() => {
  app.kill()
  rmSync(folder, { recursive: true, force: true })
})

const at = `http://127.0.0.1:${port}`

async function listening(): Promise<void> {
  for (;;) {
    const isOpen = await fetch(`${at}/invoices`).then(() => true, () => false)
    if (isOpen) return
    await delay(100)
  }
}

test('has about 60 lines of its own, and does what it is printed for', async () => {
  expect(printed!.text.split('\n').length).toBeLessThan(90)
  await listening()
  const visitor = new Browser(at)
  const asked = (await visitor.get(`${at}/`)).location!.href
  const person = await signedInAt(service, asked, await newPerson(service, [first.orgId, second.orgId]))
  const back = (await consent(person, asked, [first.orgId, second.orgId])).location!
  expect(back.origin).toBe(at)
  // In a browser that has not begun it, the answer is refused.
  expect((await new Browser(at).get(back.href)).status).toBe(400)
  expect((await visitor.get(back.href)).location!.pathname).toBe('/invoices')
  expect((await visitor.get(`${at}/invoices`)).text).toBe('0 invoices\n0 invoices\n')
  await service.sql("UPDATE oauth_tokens SET expires_time = expires_time - interval '1 hour' WHERE kind = 'ACCESS'")
  expect((await visitor.get(`${at}/invoices`)).text).toBe('0 invoices\n0 invoices\n')
})
