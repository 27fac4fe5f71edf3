// The lines of a purchase: at the purchase price, to Purchases; an item's own account is one of revenue.
import type { Basis } from '../models/basis.ts'
import { fillLines, type FilledLine, type LineWanted } from './document-lines.ts'

/** Fills the lines of a purchase; throws as fillLines does. */
export function fillPurchaseLines(basis: Basis, wanted: LineWanted[]): FilledLine[] {
  return fillLines(basis, wanted, { rateOf: ({ purchase_rate }) => purchase_rate, accountOf: () => basis.roles.PURCHASES! })
}
