// A contact in the model: what it is called, how long it may owe, and what names it.
import type { Json } from '../fixtures/client.ts'
import type { Books, Thing } from './books.ts'

export type ContactType = 'CUSTOMER' | 'VENDOR' | 'BOTH'

/** Which contact a call names: of those that fit, the nth that exists, or the nth that was deleted. */
export interface ContactPick {
  n: number
  gone: boolean
}

export class Contact implements Thing {
  readonly key = 'contact'
  gone = false
  status: 'ACTIVE' | 'INACTIVE' = 'ACTIVE'
  readonly actions = ['CREATED']
  readonly id: string
  readonly type: ContactType
  name: string
  /** Days until a document without a due date is due. */
  paymentTerms: number

  constructor({ id, type, name, paymentTerms = 0 }: { id: string; type: ContactType; name: string; paymentTerms?: number }) {
    this.id = id
    this.type = type
    this.name = name
    this.paymentTerms = paymentTerms
  }

  get path() { return `/contacts/${this.id}` }

  shown(): Json {
    return { contact_name: this.name, contact_type: this.type, payment_terms: this.paymentTerms, status: this.status }
  }
}

/** The contact that is picked; where none that fits was deleted, or all of them were, one of the others. */
export function contactOf({ contacts }: Books, { n, gone }: ContactPick, fits: (one: Contact) => boolean = () => true): Contact {
  const all = contacts.filter(fits)
  const wanted = all.filter((one) => one.gone === gone)
  const from = wanted.length > 0 ? wanted : all
  return from[n % from.length]!
}
