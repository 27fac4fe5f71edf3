// The ways that the render of a PDF can go, to be recorded: whole, at a second try, refused, without its document, cancelled.
import { ApplicationFailure, Context } from '@temporalio/activity'
import { v7 as uuidv7 } from 'uuid'
import { NOT_RENDERED, renderedKey, renderProcessId, type RenderedFile, type RenderInput } from '../../domain/render-run.ts'
import { openAttemptWorker } from '../workflows/attempt-worker.ts'
import type { Save } from './record.ts'

const KEY = { version: 1, template: 'invoice-classic', letterhead: '0123456789abcdef' }

export async function recordRenders(save: Save): Promise<void> {
  const worker = await openAttemptWorker()
  const rendered = (input: RenderInput): RenderedFile => ({ key: renderedKey(input, KEY), bytes: 100_000, version: 1, number: 'INV-2026-27-001' })
  const record = async (name: string, render: (input: RenderInput) => Promise<RenderedFile>, meanwhile = async (_workflowId: string) => undefined as unknown) => {
    worker.render = render
    const input: RenderInput = { orgId: uuidv7(), kind: 'INVOICE', id: uuidv7() }
    const asked = worker.engine.render(input, KEY, new AbortController().signal).catch(() => undefined)
    await meanwhile(renderProcessId(input.id, KEY))
    await asked
    await save(worker.engine, renderProcessId(input.id, KEY), name)
  }

  await record('render-whole', async (input) => rendered(input))
  await record('render-at-a-second-try', async (input) => {
    if (Context.current().info.attempt === 1) throw new Error('the blob store failed')
    return rendered(input)
  })
  await record('render-refused', async () => {
    throw ApplicationFailure.nonRetryable('the process ended by signal SIGKILL', NOT_RENDERED)
  })
  await record('render-without-document', async () => {
    throw ApplicationFailure.nonRetryable('there is no such invoice', 'UnknownDocument')
  })
  const begun = Promise.withResolvers<void>()
  await record('render-cancelled', async () => {
    begun.resolve()
    setInterval(() => Context.current().heartbeat(), 200).unref()
    return Context.current().cancelled
  }, async (workflowId) => {
    await begun.promise
    await worker.engine.client.workflow.getHandle(workflowId).cancel()
  })
  await worker.close()
}
