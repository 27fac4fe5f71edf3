// What the doctor says of PDFs: an engine that is missing, a render that is tried again and again, a document that cannot be rendered.
import { ApplicationFailure } from '@temporalio/activity'
import { afterAll, expect, test } from '@jest/globals'
import { v7 as uuidv7 } from 'uuid'
import { examinePdfs, rendersThatFailed, rendersThatWait } from '../../bin/doctor/pdfs.ts'
import { NOT_RENDERED, renderProcessId } from '../../domain/render-run.ts'
import { findSoffice } from '../../gateways/pdf/soffice.ts'
import { until } from '../start/local-run.ts'
import { openAttemptWorker } from './attempt-worker.ts'

const worker = await openAttemptWorker()
afterAll(() => worker.close())

const KEY = { version: 1, template: 'invoice-classic', letterhead: '0123456789abcdef' }
const patient = (minutesLater = 0) => ({
  engine: worker.engine, queueSuffix: worker.queueSuffix, now: new Date(Date.now() + minutesLater * 60_000), ladderSeconds: [], database: null as never,
})

test('an engine that this machine does not have', () => {
  expect(examinePdfs({ engine: 'embedded', path: [] })).toEqual([])
  expect(examinePdfs({ engine: 'auto', path: [] })).toEqual([])
  const missing = findSoffice([]) ? [] : [expect.objectContaining({ check: 'PDF engine', severity: 'stuck' })]
  expect(examinePdfs({ engine: 'soffice', path: [] })).toEqual(missing)
})

test('a render that waits, with the error of its last try, and one that has failed for good', async () => {
  const input = { orgId: uuidv7(), kind: 'INVOICE' as const, id: uuidv7() }
  worker.render = async () => { throw new Error('the PDF engine does not start: exit code 1') }
  const asked = worker.engine.render(input, KEY, new AbortController().signal).catch(() => undefined)
  const waiting = async () => (await rendersThatWait(patient(6)))[0]
  await until(async () => /the PDF engine does not start: exit code 1$/.test((await waiting())?.problem ?? ''), 90_000, () => 'no render waits')
  const { severity, problem, mend } = (await waiting())!
  expect([severity, problem]).toEqual(['stuck', expect.stringContaining(renderProcessId(input.id, KEY))])
  expect(mend).toMatch(/"PDF engine" in the log of the worker/)
  expect([await rendersThatWait(patient()), await rendersThatFailed(patient())]).toEqual([[], []])

  worker.render = async () => { throw ApplicationFailure.nonRetryable('the process ended by signal SIGKILL', NOT_RENDERED) }
  await asked
  await until(async () => (await rendersThatFailed(patient())).length === 1, 90_000, () => 'no render has failed')
  expect((await rendersThatFailed(patient()))[0]).toMatchObject({ severity: 'notice', problem: expect.stringMatching(/: the process ended by signal SIGKILL$/) })
})
