// A tax as JSON.
import { Type, type Static } from 'typebox'
import { TAX_SHAPES } from '../../domain/gst.ts'
import type { TaxRow } from '../../models/tax.ts'
import { Id, Timestamp } from './fields.ts'

const Percent = Type.Number({ description: 'Per cent of the taxable value.' })

export const Tax = Type.Object({
  tax_id: Id,
  name: Type.String(),
  shape: Type.Enum([...TAX_SHAPES]),
  cgst: Percent,
  sgst: Percent,
  igst: Percent,
  cess: Percent,
  created_time: Timestamp,
  last_modified_time: Timestamp,
})

export function showTax(tax: TaxRow): Static<typeof Tax> {
  return {
    tax_id: tax.id,
    name: tax.name,
    shape: tax.shape,
    cgst: Number(tax.cgst),
    sgst: Number(tax.sgst),
    igst: Number(tax.igst),
    cess: Number(tax.cess),
    created_time: tax.created_time.toISOString(),
    last_modified_time: tax.last_modified_time.toISOString(),
  }
}
