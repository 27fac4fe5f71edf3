// A PDF that is in the blob store is found there, although the engine is full, or has refused the document before.
import { asyncLocalStorage, type Context } from '@temporalio/activity'
import { expect, test } from '@jest/globals'
import { renderActivities } from '../../activities/render.ts'
import { NOT_RENDERED, renderedKey } from '../../domain/render-run.ts'
import type { PdfEngine } from '../../gateways/pdf/engine.ts'
import { NotConverted, PdfEngineUnavailable } from '../../gateways/pdf/supervised.ts'
import { findPrintKey } from '../../reports/print/print-key.ts'
import { openOrganization } from '../fixtures/organization.ts'
import { useService } from '../fixtures/use-service.ts'

const service = await useService()
const own = await openOrganization(service)

/** Activities with an engine in this state, and an invoice with its file's key. */
async function scene(engine: Partial<PdfEngine>) {
  const outcomes: string[] = []
  const pdf: PdfEngine = { name: 'embedded', toPdf: async () => Buffer.alloc(0), refuseIfFull: () => {}, warmUp: () => {}, pids: () => [], waiting: () => 0, close: async () => {}, ...engine }
  const { renderDocument } = renderActivities({ connection: service.database, blobs: service.blobs, pdf, onRendered: (outcome) => void outcomes.push(outcome) })
  const { invoice_id: id } = await own.invoice()
  const input = { orgId: own.orgId, kind: 'INVOICE' as const, id: id as string }
  const current = (await findPrintKey({ connection: service.database, orgId: own.orgId }, 'INVOICE', input.id))!
  const key = renderedKey(input, current)
  return {
    outcomes, key, current,
    put: () => service.blobs.write(key, Buffer.from('%PDF-1.7'), { contentType: 'application/pdf' }),
    render: (attempt = 1) => asyncLocalStorage.run({ info: { attempt }, heartbeat: () => {} } as unknown as Context, () => renderDocument(input)),
  }
}

test('a document that has stopped the engine is refused for a while, unless another worker has rendered it', async () => {
  let tries = 0
  const toPdf = async () => {
    tries += 1
    throw new NotConverted('the process ended by signal SIGKILL')
  }
  const { render, put, key, current, outcomes } = await scene({ toPdf })
  for (let n = 0; n < 2; n += 1) await expect(render()).rejects.toMatchObject({ type: NOT_RENDERED, message: 'the process ended by signal SIGKILL' })
  expect(tries).toBe(1)
  await put()
  expect(await render()).toEqual({ key, bytes: 8, version: current.version, number: current.number })
  expect([tries, outcomes]).toEqual([1, ['failed', 'failed', 'rendered']])
})

test('an engine without room does not hold up what is there, at the first try and later', async () => {
  const refuseIfFull = () => {
    throw new PdfEngineUnavailable('20 documents wait for the PDF engine')
  }
  const { render, put, key, current } = await scene({ refuseIfFull })
  const full = { type: 'PdfEngineUnavailable', message: '20 documents wait for the PDF engine' }
  for (const attempt of [1, 2, 11]) await expect(render(attempt)).rejects.toMatchObject(full)
  await put()
  const file = { key, bytes: 8, version: current.version, number: current.number }
  expect([await render(1), await render(11)]).toEqual([file, file])
  await expect(render(2)).rejects.toMatchObject(full)
})
