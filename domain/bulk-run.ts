// The workflow that carries out a bulk: its id, input and progress.
import type { BulkCounts, BulkKind } from './bulk.ts'

/** The input of the workflow `bulkCreate`. `progress` is set where it continues as a new run. */
export interface BulkInput {
  orgId: string
  bulkId: string
  kind: BulkKind
  total: number
  progress?: BulkProgress
}

/** SUSPENDED: the organisation is suspended, and the rows that are left wait for its reactivation. */
export type BulkState = 'RUNNING' | 'SUSPENDED' | 'COMPLETED'

export interface BulkProgress extends BulkCounts {
  state: BulkState
}

/** The id of the workflow: one for each bulk. */
export const bulkProcessId = (bulkId: string) => `bulk/${bulkId}`
