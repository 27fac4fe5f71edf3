// Logos by their content, and preferences as signed-in persons read and change them.
import { describe, expect, test } from '@jest/globals'
import type { Json } from '../fixtures/client.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { pageOf, personWith } from '../fixtures/persons.ts'
import { chunk, dataUrl, jpeg, png } from '../fixtures/pictures.ts'
import { DEFAULTS, preferencesOf } from '../fixtures/preferences.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const { change, refusal, entries } = preferencesOf(service)

describe('a logo', () => {
  test.each([
    ['image/png', png(40, 30), 40, 30], ['image/jpeg', jpeg(120, 50), 120, 50], ['image/png', png(2000, 2000), 2000, 2000],
    ['image/png', png(9, 9, { between: [chunk('tEXt', Buffer.from('Title\0Asha'))] }), 9, 9],
  ])('%s is kept as it was sent, and answered without its content', async (type, content, width, height) => {
    const { orgId } = await service.organization()
    const { pdf } = await change(orgId, { pdf: { logo: dataUrl(content, type) } })
    expect(pdf.logo).toEqual({ mediaType: type, width, height, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    const [kept] = await service.sql<{ content: Buffer }>('SELECT content FROM logos WHERE org_id = $1', orgId)
    expect(content.equals(kept!.content)).toBe(true)
    expect((await change(orgId, { pdf })).pdf).toEqual(pdf)
    expect((await change(orgId, { pdf: { logo: null } })).pdf.logo).toBeNull()
    expect((await entries(orgId)).map(({ changes }) => changes)).toEqual([{ 'pdf.logo': { old: null, new: pdf.logo } }, { 'pdf.logo': { old: pdf.logo, new: null } }])
  })

  const SCAN = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x55])
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  const cut = png(40, 30).subarray(0, -20)
  const broken = Buffer.from(png(40, 30).map((byte, place) => (place === 45 ? byte ^ 1 : byte)))
  test.each<[string, string]>([
    ['an SVG', dataUrl(svg, 'image/svg+xml')], ['an SVG that calls itself a PNG', dataUrl(svg)], ['a JPEG that calls itself a PNG', dataUrl(jpeg(4, 4))],
    ['100 megapixels', dataUrl(png(10_000, 10_000))], ['100 megapixels of a JPEG', dataUrl(jpeg(10_000, 10_000), 'image/jpeg')], ['no pixels', dataUrl(png(0, 5))],
    ['an animation', dataUrl(png(4, 4, { between: [chunk('acTL', Buffer.alloc(8))] }))],
    ['frames of an animation', dataUrl(png(4, 4, { between: [chunk('fcTL', Buffer.alloc(26))] }))],
    ['a file cut short', dataUrl(cut)], ['a broken checksum', dataUrl(broken)], ['a JPEG cut short', dataUrl(jpeg(9, 9).subarray(0, -2), 'image/jpeg')],
    ['a second head', dataUrl(png(4, 4, { between: [png(3000, 3000).subarray(8, 33)] }))], ['more than 1 MB', dataUrl(png(4, 4, { between: [chunk('tEXt', Buffer.alloc(2 ** 20))] }))],
    ['a JPEG of a thousand scans', dataUrl(Buffer.concat([jpeg(9, 9).subarray(0, -2), ...Array(1000).fill(SCAN), jpeg(9, 9).subarray(-2)]), 'image/jpeg')],
    ['a URL', 'https://asha.example/logo.png'], ['a GIF', dataUrl(Buffer.from('R0lGODlhAQABAAAAACw=', 'base64'), 'image/gif')], ['nothing', 'data:image/png;base64,'],
    ['no base64', 'data:image/png;base64,%%%%'],
    ['base64 with spaces', dataUrl(png(4, 4)).replace('iVBO', 'iVBO\n')],
  ])('is not %s', async (_what, logo) => {
    const { orgId } = await service.organization()
    expect([400, 422]).toContain((await refusal(orgId, { pdf: { logo } })).status)
    expect((await change(orgId, {})).pdf.logo).toBeNull()
  })

  test('of another hash is not taken for the one that is kept', async () => {
    const { orgId } = await service.organization()
    await change(orgId, { pdf: { logo: dataUrl(png(4, 4)) } })
    expect(await refusal(orgId, { pdf: { logo: { mediaType: 'image/png', width: 4, height: 4, sha256: '0'.repeat(64) } } })).toEqual({ status: 400, code: 'validation.invalid_value', field: 'pdf.logo' })
  })
})

describe('by signed-in persons', () => {
  test('are read by every role and changed by owners', async () => {
    const { orgId } = await service.organization()
    const [owner, accountant, viewer] = [await personWith(service, orgId, 'OWNER'), await personWith(service, orgId, 'ACCOUNTANT'), await personWith(service, orgId, 'VIEWER')]
    const { status, body } = await owner.call('PUT', '/preferences', { body: { pdf: { upiId: 'asha@hdfc', logo: dataUrl(png(4, 4)) } } })
    expect([status, body]).toEqual([200, {
      code: 0, message: 'Preferences updated.', warnings: [],
      preferences: { ...DEFAULTS, pdf: { ...DEFAULTS.pdf, upiId: 'asha@hdfc', logo: { mediaType: 'image/png', width: 4, height: 4, sha256: expect.any(String) } } },
    }])
    for (const { call } of [owner, accountant, viewer]) expect((await call('GET', '/preferences')).body.preferences).toEqual(body.preferences)
    for (const { call } of [accountant, viewer]) expect((await call('PUT', '/preferences', { body: { roundInvoiceTotals: true } })).body).toMatchObject({ code: 'auth.insufficient_scope' })
    expect((await owner.call('PUT', '/preferences', { body: { colour: 1 } })).body).toMatchObject({ code: 'validation.invalid_value', field: 'colour', details: { valid: Object.keys(DEFAULTS) } })
    expect((await owner.call('PUT', '/preferences', { body: { pdf: { upiId: 'x' } } })).body).toMatchObject({ code: 'validation.failed', errors: [{ field: 'pdf.upiId' }] })
    const [entry] = await service.sql<{ actor_user_id: string; metadata: Json }>(`SELECT actor_user_id, metadata FROM activity WHERE org_id = $1 AND action = 'PREFERENCES_UPDATED'`, orgId)
    const [user] = await service.sql<{ id: string }>('SELECT id FROM users WHERE org_id = $1 AND email = $2', orgId, owner.email)
    expect([entry!.actor_user_id, entry!.metadata.source]).toEqual([user!.id, 'CONSOLE'])
  })

  test('two changes at once are both kept, while others write and in several processes', async () => {
    const org = await openOrganization(service)
    const other = await service.another()
    try {
      const owner = await personWith(service, org.orgId, 'OWNER')
      const there = pageOf(other.origin, owner.cookie)
      const writing = Array.from({ length: 20 }, () => org.invoice())
      const changed = await Promise.all([
        ...Array.from({ length: 5 }, (_, place) => owner.call('PUT', '/preferences', { body: { reminders: { subject: `Reminder ${place}` }, roundInvoiceTotals: true } })),
        ...Array.from({ length: 5 }, (_, place) => there('PUT', '/preferences', { body: { mail: { fromName: `Asha ${place}` } } })),
      ])
      await Promise.all(writing)
      expect(changed.map(({ status }) => status)).toEqual(Array(10).fill(200))
      expect((await there('GET', '/preferences')).body.preferences).toMatchObject({ roundInvoiceTotals: true, reminders: { subject: expect.any(String) }, mail: { fromName: expect.any(String) } })
      // Each change starts from another, one from the beginning, and none from the last.
      const chain = (await entries(org.orgId)).flatMap(({ changes }) => (changes['mail.fromName'] ? [changes['mail.fromName']] : []))
      const last = (await there('GET', '/preferences')).body.preferences.mail.fromName
      expect([...chain.map(({ old }) => old), last].toSorted()).toEqual([null, ...chain.map((each) => each.new)].toSorted())
    } finally {
      await other.close()
    }
  })

  test('a role that is taken away holds no longer, in no process', async () => {
    const { orgId } = await service.organization()
    const other = await service.another()
    try {
      const owner = await personWith(service, orgId, 'OWNER')
      const there = pageOf(other.origin, owner.cookie)
      expect((await there('PUT', '/preferences', { body: { mail: { fromName: 'Asha' } } })).status).toBe(200)
      await service.sql(`UPDATE users SET role = 'VIEWER' WHERE email = $1`, owner.email)
      for (const call of [owner.call, there]) expect((await call('PUT', '/preferences', { body: { mail: { fromName: 'Bela' } } })).status).toBe(403)
      await service.sql('DELETE FROM users WHERE email = $1', owner.email)
      for (const call of [owner.call, there]) expect((await call('GET', '/preferences')).status).toBe(400)
    } finally {
      await other.close()
    }
  })
})
