// Background work for e-invoices: starts the workflows of what commands have queued, and of what was lost.
import type { Logger } from 'pino'
import type { Engine } from '../gateways/temporal/engine.ts'
import { EngineUnavailable } from '../gateways/temporal/engine-unavailable.ts'
import type { Database } from '../models/database.ts'
import {
  findEInvoicesToStart,
  noteStarted,
  putStartOff,
  queueLostEInvoices,
  type WaitingEInvoice,
} from '../models/e-invoice-queue.ts'

interface EInvoiceJobsDependencies {
  connection: Database
  engine: Pick<Engine, 'attendEInvoice'>
  log: Logger
  clock(): Date
}

const MOST = { most: 40, ofOne: 10 }
const PUT_OFF_MS = 60_000
/** A workflow looks at its e-invoice at least once an hour. */
const LOST_MS = 2 * 60 * 60 * 1_000

/** Starts or signals the workflows of what is queued, organisations in turns. Sent twice, after a crash, a signal changes nothing. */
export async function startEInvoices({ connection, engine, log, clock }: EInvoiceJobsDependencies): Promise<void> {
  for (;;) {
    const waiting = await findEInvoicesToStart(connection, clock(), MOST)
    if (waiting.length === 0) return
    const started: WaitingEInvoice[] = []
    try {
      for (const one of waiting) {
        try {
          await engine.attendEInvoice({ orgId: one.org_id, kind: one.kind, id: one.id })
          started.push(one)
        } catch (error) {
          if (error instanceof EngineUnavailable) throw error
          log.error({ err: error, document_id: one.id }, 'the workflow of an e-invoice could not be started')
          await putStartOff(connection, one, new Date(clock().getTime() + PUT_OFF_MS))
        }
      }
    } finally {
      if (started.length > 0) await noteStarted(connection, started)
    }
  }
}

/** Queues e-invoices again whose workflow was terminated or lost. */
export async function takeUpLostEInvoices({
  connection,
  log,
  clock,
}: Omit<EInvoiceJobsDependencies, 'engine'>): Promise<void> {
  const now = clock()
  const queued = await queueLostEInvoices(connection, new Date(now.getTime() - LOST_MS), now)
  if (queued > 0) log.warn({ queued }, 'e-invoices had no workflow; they are started again')
}
