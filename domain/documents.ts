// The registry of document kinds: the facts of each kind, in the one place that everything else reads them from.

/** A call that depends on the status of a document: the statuses in which it is allowed, and the status that it sets. */
export interface Move<S extends string = string> {
  from: readonly S[]
  /** Null where the call keeps the status, deletes the document, or where amounts decide the status. */
  to: S | null
}

export interface DocumentFacts {
  /** What people call a document. Also the name of its number sequence and in the register of gaps. */
  noun: string
  path: string
  table: string
  /** The field of its id: in paths, in bodies, and in rows that refer to it. */
  id: string
  /** The column of its number, and the default prefix of its numbers. A branch has its own prefix for invoices and bills. */
  number: string
  prefix: string
  /** The table of its lines, and the records that a line may refer to: an item, a line of the order that it was made from. */
  lines?: string
  linesPointTo?: readonly string[]
  /** The column of its contact, which may be null where it is optional. */
  party: 'customer_id' | 'vendor_id' | 'contact_id'
  partyOptional?: true
  /** The resource of its scopes: `Svc.debitnotes.READ`. */
  scope: string
  /** Whether it belongs to a branch; then its journals do too. */
  hasBranch?: true
  /** Whether it posts journals; their source is the kind. */
  posts?: true
  /** Whether it is printed: its PDF, at `{path}/{id}/pdf`. */
  isPrinted?: true
  /** Whether it is mailed: `POST {path}/{id}/email`. */
  isMailed?: true
  /** Whether it has a route of its own for its activity log. */
  hasLog?: true
  /** The statuses, in the order of the documentation, and every call that depends on them. Left out for kinds without states. */
  statuses?: readonly string[]
  moves?: Readonly<Record<string, Move>>
  /** Whether a call deletes it, which the change feed then has an event for. */
  isDeletable?: true
  /** The types of its events, in the specification's order. */
  events: readonly string[]
  /** The kind that it is converted to, and the column of its lines with the quantity that is converted. */
  becomes?: string
  converted?: string
  /** For a note: the kinds of documents that it is given against. A note with two kinds has a column `type`. */
  against?: readonly string[]
  /** The kinds that settle it, each with the column of the settled amount. */
  settledBy?: Readonly<Record<string, string>>
  /** For a kind that settles others: the table of its allocations or applications. */
  applications?: string
}

const NOTE_STATUSES = ['DRAFT', 'ISSUED', 'APPLIED', 'CANCELLED'] as const
const NOTE_MOVES = {
  issue: { from: ['DRAFT'], to: 'ISSUED' },
  // A draft may change in all fields; an issued note in notes, date and reference, while nothing of it is applied.
  edit: { from: ['DRAFT', 'ISSUED'], to: null },
  apply: { from: ['ISSUED'], to: null },
  void: { from: ['DRAFT', 'ISSUED'], to: 'CANCELLED' },
} as const

/** States and moves: specification, "States and transitions"; decisions §4, §10. Prefixes: decisions §4. */
export const DOCUMENTS = {
  INVOICE: {
    noun: 'invoice', path: '/invoices', table: 'invoices', id: 'invoice_id', number: 'invoice_number', prefix: 'INV-',
    lines: 'invoice_lines', linesPointTo: ['item_id', 'sales_order_line_id'], party: 'customer_id', scope: 'invoices', hasBranch: true, posts: true, hasLog: true,
    statuses: ['DRAFT', 'SENT', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CANCELLED', 'CREDIT_APPLIED'],
    moves: {
      approve: { from: ['DRAFT'], to: 'SENT' },
      edit: { from: ['DRAFT'], to: null },
      delete: { from: ['DRAFT'], to: null },
      void: { from: ['DRAFT', 'SENT', 'PARTIALLY_PAID', 'OVERDUE'], to: 'CANCELLED' },
      pay: { from: ['SENT', 'PARTIALLY_PAID', 'OVERDUE'], to: null },
      credit: { from: ['SENT', 'PARTIALLY_PAID', 'OVERDUE'], to: null },
      release: { from: ['PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CREDIT_APPLIED'], to: null },
      fallDue: { from: ['SENT', 'PARTIALLY_PAID'], to: 'OVERDUE' },
      dispute: { from: ['SENT', 'PARTIALLY_PAID', 'OVERDUE'], to: null },
      remind: { from: ['SENT', 'PARTIALLY_PAID', 'OVERDUE'], to: null },
    },
    isDeletable: true,
    isPrinted: true,
    isMailed: true,
    events: ['INVOICE_CREATED', 'INVOICE_UPDATED', 'INVOICE_VOIDED', 'INVOICE_PAID'],
    settledBy: { PAYMENT: 'payment_made', CREDIT_NOTE: 'credits_applied' },
  },
  BILL: {
    noun: 'bill', path: '/bills', table: 'bills', id: 'bill_id', number: 'bill_number', prefix: 'BILL-',
    lines: 'bill_lines', linesPointTo: ['item_id', 'purchase_order_line_id'], party: 'vendor_id', scope: 'bills', hasBranch: true, posts: true, hasLog: true,
    statuses: ['DRAFT', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'OVERDUE', 'CANCELLED'],
    moves: {
      approve: { from: ['DRAFT'], to: 'OPEN' },
      edit: { from: ['DRAFT'], to: null },
      delete: { from: ['DRAFT'], to: null },
      void: { from: ['DRAFT', 'OPEN', 'PARTIALLY_PAID', 'OVERDUE'], to: 'CANCELLED' },
      pay: { from: ['OPEN', 'PARTIALLY_PAID', 'OVERDUE'], to: null },
      credit: { from: ['OPEN', 'PARTIALLY_PAID', 'OVERDUE'], to: null },
      release: { from: ['PARTIALLY_PAID', 'PAID', 'OVERDUE'], to: null },
      fallDue: { from: ['OPEN', 'PARTIALLY_PAID'], to: 'OVERDUE' },
    },
    isDeletable: true,
    isPrinted: true,
    events: ['BILL_CREATED', 'BILL_UPDATED', 'BILL_VOIDED', 'BILL_PAID'],
    settledBy: { PAYMENT: 'payment_made', CREDIT_NOTE: 'vendor_credits_applied' },
  },
  PAYMENT: {
    noun: 'payment', path: '/payments', table: 'payments', id: 'payment_id', number: 'payment_number', prefix: 'PAY-',
    party: 'contact_id', scope: 'payments', posts: true, hasLog: true,
    isDeletable: true,
    isPrinted: true,
    events: ['PAYMENT_RECEIVED', 'PAYMENT_MADE'],
    applications: 'payment_allocations',
  },
  CREDIT_NOTE: {
    noun: 'credit note', path: '/credit_notes', table: 'credit_notes', id: 'credit_note_id', number: 'credit_note_number', prefix: 'CN-',
    lines: 'credit_note_lines', linesPointTo: ['item_id'], party: 'customer_id', scope: 'creditnotes', hasBranch: true, posts: true, hasLog: true,
    statuses: NOTE_STATUSES, moves: NOTE_MOVES,
    isPrinted: true,
    isMailed: true,
    events: ['CREDIT_NOTE_CREATED', 'CREDIT_NOTE_VOIDED'],
    against: ['INVOICE', 'BILL'], applications: 'credit_applications',
  },
  DEBIT_NOTE: {
    noun: 'debit note', path: '/debit_notes', table: 'debit_notes', id: 'debit_note_id', number: 'debit_note_number', prefix: 'DN-',
    lines: 'debit_note_lines', linesPointTo: ['item_id'], party: 'vendor_id', scope: 'debitnotes', hasBranch: true, posts: true, hasLog: true,
    statuses: NOTE_STATUSES, moves: NOTE_MOVES,
    isPrinted: true,
    events: ['DEBIT_NOTE_CREATED'],
    against: ['BILL'],
  },
  ESTIMATE: {
    noun: 'estimate', path: '/estimates', table: 'estimates', id: 'estimate_id', number: 'estimate_number', prefix: 'EST-',
    lines: 'estimate_lines', linesPointTo: ['item_id'], party: 'customer_id', scope: 'estimates', hasBranch: true, hasLog: true,
    statuses: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CONVERTED', 'CANCELLED'],
    moves: {
      edit: { from: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CANCELLED'], to: null },
      send: { from: ['DRAFT'], to: 'SENT' },
      decline: { from: ['DRAFT', 'SENT'], to: 'DECLINED' },
      cancel: { from: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED'], to: 'CANCELLED' },
      accept: { from: ['DRAFT', 'SENT'], to: 'ACCEPTED' },
      convert: { from: ['ACCEPTED'], to: 'CONVERTED' },
      delete: { from: ['DRAFT', 'SENT', 'ACCEPTED', 'DECLINED', 'CANCELLED'], to: null },
    },
    isDeletable: true,
    isPrinted: true,
    isMailed: true,
    events: ['ESTIMATE_CREATED', 'ESTIMATE_ACCEPTED', 'ESTIMATE_CONVERTED'],
    becomes: 'SALES_ORDER',
  },
  SALES_ORDER: {
    noun: 'sales order', path: '/sales_orders', table: 'sales_orders', id: 'sales_order_id', number: 'sales_order_number', prefix: 'SO-',
    lines: 'sales_order_lines', linesPointTo: ['item_id'], party: 'customer_id', scope: 'salesorders', hasBranch: true, hasLog: true,
    statuses: ['DRAFT', 'OPEN', 'PARTIALLY_INVOICED', 'INVOICED', 'CLOSED', 'CANCELLED'],
    moves: {
      edit: { from: ['DRAFT', 'OPEN'], to: null },
      open: { from: ['DRAFT'], to: 'OPEN' },
      close: { from: ['OPEN', 'PARTIALLY_INVOICED'], to: 'CLOSED' },
      cancel: { from: ['DRAFT', 'OPEN'], to: 'CANCELLED' },
      convert: { from: ['DRAFT', 'OPEN', 'PARTIALLY_INVOICED'], to: 'INVOICED' },
      convertPart: { from: ['DRAFT', 'OPEN', 'PARTIALLY_INVOICED'], to: 'PARTIALLY_INVOICED' },
    },
    events: ['SALES_ORDER_CREATED'],
    becomes: 'INVOICE', converted: 'quantity_invoiced',
  },
  PURCHASE_ORDER: {
    noun: 'purchase order', path: '/purchase_orders', table: 'purchase_orders', id: 'purchase_order_id', number: 'purchase_order_number', prefix: 'PO-',
    lines: 'purchase_order_lines', linesPointTo: ['item_id'], party: 'vendor_id', scope: 'purchaseorders', hasBranch: true, hasLog: true,
    statuses: ['DRAFT', 'OPEN', 'BILLED', 'CANCELLED'],
    moves: {
      edit: { from: ['DRAFT', 'OPEN'], to: null },
      open: { from: ['DRAFT'], to: 'OPEN' },
      cancel: { from: ['DRAFT', 'OPEN'], to: 'CANCELLED' },
      convert: { from: ['DRAFT', 'OPEN'], to: 'BILLED' },
      convertPart: { from: ['DRAFT', 'OPEN'], to: 'OPEN' },
      delete: { from: ['DRAFT'], to: null },
    },
    isDeletable: true,
    isPrinted: true,
    events: ['PURCHASE_ORDER_CREATED'],
    becomes: 'BILL', converted: 'quantity_billed',
  },
  EXPENSE: {
    noun: 'expense', path: '/expenses', table: 'expenses', id: 'expense_id', number: 'expense_number', prefix: 'EXP-',
    lines: 'expense_lines', party: 'vendor_id', partyOptional: true, scope: 'expenses', posts: true, hasLog: true,
    isDeletable: true,
    events: ['EXPENSE_CREATED'],
  },
  // Only manual journals; their source is MANUAL.
  JOURNAL: {
    noun: 'journal', path: '/journals', table: 'journals', id: 'journal_id', number: 'journal_number', prefix: 'JV-',
    lines: 'journal_lines', party: 'contact_id', partyOptional: true, scope: 'journals',
    isDeletable: true,
    events: ['JOURNAL_POSTED'],
  },
} as const satisfies Record<string, DocumentFacts>

export type DocumentKind = keyof typeof DOCUMENTS

/** The entity types of the activity log, in the specification's order ("Activity"). No RECEIPT exists; receipts are payments. */
export const ENTITY_TYPES = [
  'INVOICE', 'BILL', 'ESTIMATE', 'CREDIT_NOTE', 'DEBIT_NOTE', 'SALES_ORDER', 'PURCHASE_ORDER', 'PAYMENT', 'RECEIPT', 'EXPENSE', 'JOURNAL',
] as const satisfies (DocumentKind | 'RECEIPT')[]

export type FactsOf<K extends DocumentKind> = (typeof DOCUMENTS)[K]

/** The kinds that have these facts with these values: `KindWith<{ posts: true }>`. */
export type KindWith<Facts extends Partial<DocumentFacts>> = {
  [K in DocumentKind]: FactsOf<K> extends Facts ? K : never
}[DocumentKind]

/** The kinds that have a fact, with any value: `KindThatHas<'statuses'>`. */
export type KindThatHas<Fact extends keyof DocumentFacts> = KindWith<Required<Pick<DocumentFacts, Fact>>>

/** The kinds that are printed: specification, "PDFs". */
export type PrintedKind = KindWith<{ isPrinted: true }>

/** Every kind, in the order of the registry. */
export const DOCUMENT_KINDS = Object.keys(DOCUMENTS) as readonly DocumentKind[]

/** The facts of a kind, typed for kinds that are not known at compile time. */
export const factsOf = (kind: DocumentKind): DocumentFacts => DOCUMENTS[kind]

/** The kinds that have a fact, in the order of the registry. */
export function kindsThatHave<Fact extends keyof DocumentFacts>(fact: Fact): KindThatHas<Fact>[] {
  return DOCUMENT_KINDS.filter(kind => factsOf(kind)[fact] !== undefined) as KindThatHas<Fact>[]
}
