// The process that carries out a conversion: its name, what it is started with, and what it comes to.
import type { Source } from './conversion.ts'

/** What `convertDocument` is started with. */
export interface ConversionInput {
  orgId: string
  conversionId: string
  source: Source
  sourceId: string
}

/** The ids of what a conversion has made so far. */
export interface ConversionTargets {
  salesOrderId: string | null
  invoiceId: string | null
  billId: string | null
}

/** What the process comes to. It is named after its source: whoever joins one must see whose conversion it was. */
export interface ConversionOutcome {
  conversionId: string
  targets: ConversionTargets
}

/** What of a refusal travels through the engine beside its code and its message. */
export interface CarriedRefusal {
  conversionId: string
  status: number
  field?: string
  details?: Record<string, unknown>
}

/** One process at a time for a source. */
export const conversionProcessId = ({ source, sourceId }: Pick<ConversionInput, 'source' | 'sourceId'>) => `convert/${source}/${sourceId}`

/** The targets as an operator reads them: one a line, with the words that search attributes have. */
export function targetLines({ salesOrderId, invoiceId, billId }: ConversionTargets): string[] {
  const named = [['SALES_ORDER', salesOrderId], ['INVOICE', invoiceId], ['BILL', billId]] as const
  return named.flatMap(([type, id]) => (id === null ? [] : [`${type} ${id}`]))
}
