// The ledger of the model: entries by the names of accounts, and what undoes them. It shares no rule with the service.

export type Source = 'INVOICE' | 'BILL' | 'PAYMENT' | 'CREDIT_NOTE' | 'DEBIT_NOTE' | 'EXPENSE' | 'MANUAL'

/** One line, in paise: a debit above 0, a credit below. */
export interface Line {
  account: string
  contact: string | null
  debit: bigint
}

export interface Entry {
  source: Source
  /** The document that the entry is of; null for a manual one. */
  of: string | null
  date: string
  /** Whom the whole entry is of. */
  contact: string | null
  lines: Line[]
  undone: boolean
}

export const dr = (account: string, debit: bigint, contact: string | null = null): Line => ({ account, contact, debit })
export const cr = (account: string, credit: bigint, contact: string | null = null): Line => dr(account, -credit, contact)

export class Ledger {
  readonly entries: Entry[] = []

  /** Posts what does not come to nothing. Throws where the model itself is out of balance. */
  post(source: Source, of: string | null, date: string, said: Line[], contact: string | null): Entry | null {
    const lines = merged(said)
    const difference = lines.reduce((sum, line) => sum + line.debit, 0n)
    if (difference !== 0n) throw new Error(`the model is out of balance by ${difference}: ${entryText({ source, of, date, contact, lines })}`)
    if (lines.length === 0) return null
    const entry = { source, of, date, contact, lines, undone: false }
    this.entries.push(entry)
    return entry
  }

  /** Reverses every unreversed entry of a document, on this day or each on its own. */
  undoAll(source: Source, of: string, date: string | null): void {
    for (const entry of this.entries.filter((each) => each.source === source && each.of === of && !each.undone)) this.undo(entry, date ?? entry.date)
  }

  undo(entry: Entry, date: string): void {
    entry.undone = true
    const undoing = this.post(entry.source, entry.of, date, entry.lines.map((line) => ({ ...line, debit: -line.debit })), entry.contact)
    if (undoing) undoing.undone = true
  }

  /** Whether anything was ever posted to the account. */
  moved(account: string): boolean {
    return this.entries.some(({ lines }) => lines.some((line) => line.account === account))
  }

  /** The debits of an account less its credits; of one contact, and through one date, where one is given. */
  balance(account: string, contact?: string, through?: string): bigint {
    let balance = 0n
    for (const { lines, date } of this.entries) {
      if (through !== undefined && date > through) continue
      for (const line of lines) {
        if (line.account === account && (contact === undefined || line.contact === contact)) balance += line.debit
      }
    }
    return balance
  }
}

/** An entry as one line of text, the same whatever the order of its lines. */
export function entryText({ source, of, date, contact: whole, lines }: Omit<Entry, 'undone'>): string {
  const said = merged(lines).map(({ account, contact, debit }) => `${account}${contact ? ` (${contact})` : ''} ${debit}`)
  return `${date} ${source} ${of ?? ''} (${whole ?? ''}): ${said.sort().join(', ')}`
}

function merged(lines: Line[]): Line[] {
  const byPlace = new Map<string, Line>()
  for (const line of lines) {
    const place = `${line.account} ${line.contact}`
    byPlace.set(place, { ...line, debit: line.debit + (byPlace.get(place)?.debit ?? 0n) })
  }
  return [...byPlace.values()].filter(({ debit }) => debit !== 0n)
}
