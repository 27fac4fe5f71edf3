// The activity of conversions: makes the next document.
import { ApplicationFailure } from '@temporalio/activity'
import { openBooks, type WriteContext } from '../commands/books/open-books.ts'
import { requesterOf } from '../commands/books/requester.ts'
import { convertNext, recordingRefusal } from '../commands/conversions/conversion-requests.ts'
import type { CarriedRefusal, ConversionInput, ConversionTargets } from '../domain/conversion-run.ts'
import { Fault } from '../domain/faults.ts'
import { findConversion, type ConversionRow } from '../models/conversion.ts'
import type { Database } from '../models/database.ts'
import { findOrganizationFacts } from '../models/token.ts'
import { withHeartbeat } from './heartbeat.ts'
import { unknownRow } from './unknown-row.ts'

/** A caller waits: the end of a worker is noticed within the heartbeat timeout of the workflow. */
const HEARTBEAT_MS = 1_000

export interface ConversionDependencies {
  connection: Database
  /** Wakes the relay, which looks for the deliveries that a commit has queued. */
  wakeRelay(): void
  clock(): Date
}

export interface HopResult {
  /** Whether every requested document is made. */
  finished: boolean
  targets: ConversionTargets
}

export function conversionActivities({ connection: database, wakeRelay, clock }: ConversionDependencies) {
  const writeContext: WriteContext = { database, wakeRelay, forgetCallers: () => undefined, clock }

  return {
    /** Makes the next document of a conversion. Run again after a crash, it makes no document twice. */
    convertNext: (input: ConversionInput): Promise<HopResult> =>
      withHeartbeat(() => convertOnce(input), undefined, HEARTBEAT_MS),
  }

  async function convertOnce({ orgId, conversionId }: ConversionInput): Promise<HopResult> {
    const [organization, conversion] = await Promise.all([
      findOrganizationFacts(database, orgId),
      findConversion({ connection: database, orgId }, conversionId),
    ])
    if (!organization || !conversion) throw unknownRow(`there is no conversion ${conversionId}`, 'UnknownConversion')
    try {
      const next = await recordingRefusal({ connection: database, orgId }, conversion, clock(), () =>
        openBooks(writeContext, requesterOf(conversion, organization), (books) => convertNext(books, conversionId)),
      )
      return { finished: next.finished, targets: targetsOf(next.conversion) }
    } catch (error) {
      throw error instanceof Fault && error.status < 500 ? refusalOf(error, conversionId) : error
    }
  }
}

// A refusal is expected, so it is neither logged as an error nor retried.
function refusalOf({ code, message, status, field, details }: Fault, conversionId: string): ApplicationFailure {
  const carried: CarriedRefusal = { conversionId, status, ...(field && { field }), ...(details && { details }) }
  return ApplicationFailure.create({ type: code, message, details: [carried], nonRetryable: true, category: 'BENIGN' })
}

const targetsOf = ({ sales_order_id, invoice_id, bill_id }: ConversionRow): ConversionTargets => ({
  salesOrderId: sales_order_id,
  invoiceId: invoice_id,
  billId: bill_id,
})
