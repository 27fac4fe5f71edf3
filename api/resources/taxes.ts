// The taxes' routes; taxes are only read.
import { Op, type WhereOptions } from 'sequelize'
import { Type } from 'typebox'
import { TAX_SHAPES } from '../../domain/gst.ts'
import { existingRow } from '../../models/find.ts'
import { pageOf } from '../../models/page.ts'
import { taxes } from '../../models/tax.ts'
import { modifiedSince, PageContext, pageContext, pageQuery, pageRequest } from '../http/page.ts'
import { route } from '../http/route.ts'
import { one } from '../shapes/fields.ts'
import { showTax, Tax } from '../shapes/tax.ts'

const tag = 'Taxes'

export const taxRoutes = [
  route({
    method: 'GET', path: '/taxes', tag, does: 'List taxes', scope: 'taxes.READ',
    query: pageQuery({ shape: Type.Optional(Type.Enum([...TAX_SHAPES])) }),
    answer: Type.Object({ taxes: Type.Array(Tax), page_context: PageContext }),
    async read(desk, { query }) {
      const filters: WhereOptions[] = [modifiedSince(query)]
      if (query.shape) filters.push({ shape: query.shape })
      const page = await pageOf(desk, taxes, { ...pageRequest(query), where: { [Op.and]: filters } })
      return { taxes: page.rows.map(showTax), page_context: pageContext(query, page) }
    },
  }),
  route({
    method: 'GET', path: '/taxes/{tax_id}', tag, does: 'Read a tax', scope: 'taxes.READ', answer: one('tax', Tax),
    read: async (desk, { params }) => ({ tax: showTax(await existingRow(desk, taxes, params.tax_id!, 'tax')) }),
  }),
]
