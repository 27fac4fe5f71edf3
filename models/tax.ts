// The organisation's GST rates. Percentages are decimal text.
import type { TaxShape } from '../domain/gst.ts'
import { table } from './table.ts'

export interface TaxRow {
  org_id: string
  id: string
  name: string
  shape: TaxShape
  cgst: string
  sgst: string
  igst: string
  cess: string
  created_time: Date
  last_modified_time: Date
}

export const taxes = table<TaxRow>('taxes', {
  org_id: 'uuid', id: 'uuid', name: 'text', shape: 'text', cgst: 'decimal', sgst: 'decimal', igst: 'decimal',
  cess: 'decimal', created_time: 'time', last_modified_time: 'time',
})
