// The lines of a sale: at the selling price, to the revenue account of the item.
import type { Basis } from '../models/basis.ts'
import { fillLines, type FilledLine, type LineWanted } from './document-lines.ts'

/** Fills the lines of a sale; throws as fillLines does. */
export function fillSaleLines(basis: Basis, wanted: LineWanted[]): FilledLine[] {
  return fillLines(basis, wanted, { rateOf: ({ rate }) => rate, accountOf: (item) => item?.account_id ?? basis.roles.SALES! })
}
