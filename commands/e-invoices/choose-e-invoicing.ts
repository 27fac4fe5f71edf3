// Chooses whether and where a branch registers e-invoices, and keeps its credentials at its portal.
import { notFound } from '../../domain/faults.ts'
import type { EInvoicePreferences } from '../../domain/preferences.ts'
import { branches } from '../../models/branch.ts'
import { eInvoiceCredentials } from '../../models/e-invoice.ts'
import { existingRow } from '../../models/find.ts'
import { lockOrganization } from '../../models/organization.ts'
import type { Books } from '../books/books.ts'
import { changePreferences } from '../organizations/preferences.ts'

export interface EInvoicingChoice extends Partial<EInvoicePreferences> {
  /** New credentials, sealed. */
  sealed?: string
}

/**
 * Changes what is named of a branch. It holds for documents that are approved afterwards. Throws not_found.resource for an
 * organisation or a branch that does not exist.
 */
export async function chooseEInvoicing(
  books: Books,
  branchId: string,
  { sealed, ...choice }: EInvoicingChoice,
): Promise<EInvoicePreferences> {
  if (!(await lockOrganization(books.connection, books.orgId))) throw notFound('organisation')
  const branch = await existingRow(books, branches, branchId, 'branch')
  const changes = { posting: {}, documents: { e_invoicing: { [branch.id]: choice } } }
  const { documents } = await changePreferences(books, changes, sealed === undefined ? null : branch.id)
  if (sealed !== undefined) {
    books.replace(eInvoiceCredentials, { branch_id: branch.id, sealed, last_modified_time: books.now })
    books.record({
      action: 'E_INVOICE_CREDENTIALS_UPDATED',
      entityType: 'BRANCH',
      entityId: branch.id,
      entityRef: branch.name,
    })
  }
  return documents.e_invoicing[branch.id]!
}
