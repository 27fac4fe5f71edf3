// The sweep of attachments: no file stays without a row, and a row without a file is told of.
import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { createAttachmentSweep, sweepAttachments } from '../../worker/files/attachments.ts'
import { openBlobStore } from '../../gateways/storage/azure-blobs.ts'
import { installationOf } from '../../models/installation.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { startService } from '../fixtures/service.ts'
import { upload } from '../fixtures/uploads.ts'

const service = await startService()
afterAll(() => service.discard())
const { client } = await openOrganization(service)
const other = await openOrganization(service)
const clock = () => new Date()
const dependencies = { connection: service.database, blobs: service.blobs, clock, isStopping: () => false }
const inAnHour = () => new Date(Date.now() + 3_600_000)
const keys = async () => {
  const found: string[] = []
  for await (const { key } of service.blobs.list('')) found.push(key)
  return found
}
const put = (key: string) => service.blobs.write(key, Buffer.from('x'), { contentType: 'text/plain' })
const added = async (of = client) => (await upload(of)).body.attachment.attachment_id as string

test('files without a row are removed, and no others; rows without a file are noted until it is back', async () => {
  const [kept, lost, others] = [await added(), await added(), await added(other.client)]
  const key = (id: string, org = client.orgId) => `${org}/attachments/${id}`
  const orphans = [key(randomUUID()), key(randomUUID(), other.client.orgId), key(randomUUID(), randomUUID())]
  const foreign = [`${client.orgId}/pdf/INVOICE/${randomUUID()}/1-classic-x.pdf`, `${client.orgId}/mail/notes.pdf`, 'attachments/x']
  for (const each of [...orphans, ...foreign]) await put(each)
  await service.blobs.remove(key(lost))

  // What is young may be an upload under way.
  await sweepAttachments(dependencies, new Date(Date.now() - 3_600_000))
  expect((await keys()).length).toBe(8)

  await sweepAttachments(dependencies, inAnHour())
  expect((await keys()).sort()).toEqual([key(kept), key(others, other.client.orgId), ...foreign].sort())
  const missing = () => service.sql<{ id: string }>('SELECT id FROM attachments WHERE missing_since IS NOT NULL')
  expect(await missing()).toEqual([{ id: lost }])
  expect(await service.audit()).toEqual([expect.stringContaining(`the file of attachment ${lost} of ${client.orgId} is missing`)])
  await put(key(lost))
  await sweepAttachments(dependencies, inAnHour())
  expect(await missing()).toEqual([])
  expect(await service.audit()).toEqual([])
})

test('the PDF of a mail that was given up before it had it is removed, and no other', async () => {
  const mail = async (state: string, bytes: number | null) => {
    const id = randomUUID()
    await service.sql(
      `INSERT INTO emails (org_id, id, purpose, entity_type, entity_id, state, refusal, reason, sender, sender_name, subject, body_html, attach_pdf, pdf_filename, pdf_bytes,
         pdf_sha256, tries, origin, created_time, last_modified_time, sent_at, message_id)
       VALUES ($1, $2, 'DOCUMENT', 'INVOICE', $2, $3, CASE WHEN $3 = 'REJECTED' THEN 'LATE' END, CASE WHEN $3 = 'REJECTED' THEN 'late' END, 'asha@bahi.test', 'Asha', 'Invoice', '', true,
         CASE WHEN $4::integer IS NULL THEN NULL ELSE 'a.pdf' END, $4, CASE WHEN $4::integer IS NULL THEN NULL ELSE repeat('0', 64) END, 0, '{}', now(), now(),
         CASE WHEN $3 = 'SENT' THEN now() END, CASE WHEN $3 = 'SENT' THEN 'x' END)`,
      client.orgId, id, state, bytes)
    return `${client.orgId}/mail/${id}.pdf`
  }
  const [sent, waiting, refused, givenUp] = [await mail('SENT', 1), await mail('READY', null), await mail('REJECTED', 1), await mail('REJECTED', null)]
  const all = [sent, waiting, refused, givenUp, `${client.orgId}/mail/${randomUUID()}.pdf`]
  for (const key of all) await put(key)
  const there = async () => (await keys()).filter((key) => all.includes(key)).toSorted()

  await sweepAttachments(dependencies, new Date(Date.now() - 3_600_000))
  expect((await there()).length).toBe(5)
  await sweepAttachments(dependencies, inAnHour())
  expect(await there()).toEqual([sent, waiting, refused].toSorted())
  for (const key of [sent, waiting, refused]) await service.blobs.remove(key)
  await service.sql('DELETE FROM emails')
})

test('the audit finds a usage that is counted wrong', async () => {
  await service.sql('UPDATE attachment_usage SET files = files + 1 WHERE org_id = $1', client.orgId)
  expect(await service.audit()).toEqual([expect.stringMatching(/has 2 attachments of \d+ bytes; counted are 3 of/)])
  await service.sql('UPDATE attachment_usage SET files = files - 1 WHERE org_id = $1', client.orgId)
})

test('a store that is away is asked again the next time', async () => {
  const away = openBlobStore({ connectionString: null, container: 'none', publicUrl: null })
  let asked = 0
  const counting = { ...away, list: (prefix: string) => { asked += 1; return away.list(prefix) } }
  const sweep = createAttachmentSweep({ ...dependencies, blobs: counting })
  await sweep()
  await sweep()
  expect(asked).toBe(2)
})

test('after a restore no file is removed for a week, nor while the books look restored', async () => {
  await installationOf(service.database)
  const orphans = [`${client.orgId}/attachments/${randomUUID()}`, `${client.orgId}/mail/${randomUUID()}.pdf`]
  for (const key of orphans) await put(key)
  const isThereAfter = async (marks: string) => {
    await service.sql(`UPDATE installation SET ${marks}`)
    await createAttachmentSweep({ ...dependencies, clock: () => new Date(Date.now() + 2 * 3_600_000) })()
    return (await keys()).filter((key) => orphans.includes(key)).length
  }
  expect(await isThereAfter(`restored_time = now() - interval '6 days'`)).toBe(2)
  expect(await isThereAfter(`restored_time = NULL, server = 'another'`)).toBe(2)
  expect(await isThereAfter(`server = NULL, restored_time = now() - interval '8 days'`)).toBe(0)
})
