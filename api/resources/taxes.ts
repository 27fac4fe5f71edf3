// The taxes' routes; taxes are only read.
import { Type } from 'typebox'
import { TAX_SHAPES } from '../../domain/gst.ts'
import { existingRow } from '../../models/find.ts'
import { taxes } from '../../models/tax.ts'
import { equals, listing } from '../http/listing.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import { showTax, Tax } from '../shapes/tax.ts'

const tag = 'Taxes'

export const taxRoutes = [
  listing({
    path: '/taxes',
    tag,
    does: 'List taxes',
    scope: 'taxes.READ',
    key: 'taxes',
    table: taxes,
    shape: Tax,
    filters: { shape: equals(Type.Enum([...TAX_SHAPES])) },
    show: (rows) => rows.map(showTax),
  }),
  route({
    method: 'GET',
    path: '/taxes/{tax_id}',
    tag,
    does: 'Read a tax',
    scope: 'taxes.READ',
    answer: one('tax', Tax),
    read: async (context, { params }) => ({ tax: showTax(await existingRow(context, taxes, params.tax_id!, 'tax')) }),
  }),
]
