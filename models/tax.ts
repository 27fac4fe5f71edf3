// The organisation's GST rates. Percentages are decimal text.
import type { TaxShape } from '../domain/gst.ts'
import { DECIMAL, TEXT, TIME, UUID, textOf, model, type RowOf } from './model.ts'

export const taxes = model('taxes', {
  org_id: UUID,
  id: UUID,
  name: TEXT,
  shape: textOf<TaxShape>(),
  cgst: DECIMAL,
  sgst: DECIMAL,
  igst: DECIMAL,
  cess: DECIMAL,
  created_time: TIME,
  last_modified_time: TIME,
})
export type TaxRow = RowOf<typeof taxes>
