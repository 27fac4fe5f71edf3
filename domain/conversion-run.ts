// The workflow that carries out a conversion: its id, input and outcome.
import type { Source } from './conversion.ts'

/** The input of the workflow `convertDocument`. */
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

/** The result of the workflow. Its id names the source, so a call that joins a running one compares the conversion id. */
export interface ConversionOutcome {
  conversionId: string
  targets: ConversionTargets
}

/** The details of a refusal that the workflow fails with, besides its code and its message. */
export interface CarriedRefusal {
  conversionId: string
  status: number
  field?: string
  details?: Record<string, unknown>
}

/** The id of the workflow: one at a time for each source. */
export const conversionProcessId = ({ source, sourceId }: Pick<ConversionInput, 'source' | 'sourceId'>) =>
  `convert/${source}/${sourceId}`

/** The targets for operators, one on each line, with the entity types of the search attributes. */
export function targetLines({ salesOrderId, invoiceId, billId }: ConversionTargets): string[] {
  const named = [
    ['SALES_ORDER', salesOrderId],
    ['INVOICE', invoiceId],
    ['BILL', billId],
  ] as const
  return named.flatMap(([type, id]) => (id === null ? [] : [`${type} ${id}`]))
}
