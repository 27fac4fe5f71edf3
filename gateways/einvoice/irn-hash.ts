// The invoice reference number of a document.
import { createHash } from 'node:crypto'
import { irnText, type DocumentDetails } from '../../domain/e-invoice/irn.ts'

/** In hexadecimal digits. */
export const irnOf = (details: DocumentDetails): string => createHash('sha256').update(irnText(details)).digest('hex')
