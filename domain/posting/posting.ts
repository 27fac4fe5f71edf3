// Postings: the lines of a journal, always balanced.
import { magnitude, sum, toBase, type Minor } from '../money.ts'

/** One line of a journal, in minor units of the base currency: one side has the amount, the other is 0. */
export interface PostingLine {
  accountId: string
  debit: Minor
  credit: Minor
  description: string | null
  contactId: string | null
}

export interface LineParticulars {
  description?: string | null
  contactId?: string | null
}

/** A debit line; a negative amount becomes a credit. */
export function debit(accountId: string, amount: Minor, particulars: LineParticulars = {}): PostingLine {
  return {
    accountId,
    debit: amount > 0n ? amount : 0n,
    credit: amount < 0n ? -amount : 0n,
    description: particulars.description ?? null,
    contactId: particulars.contactId ?? null,
  }
}

/** A credit line; a negative amount becomes a debit. */
export function credit(accountId: string, amount: Minor, particulars: LineParticulars = {}): PostingLine {
  return debit(accountId, -amount, particulars)
}

/** What the line adds to its account on the debit side; negative when it is a credit. */
export function debitBalance(line: PostingLine): Minor {
  return line.debit - line.credit
}

function dropZeros(lines: readonly PostingLine[]): PostingLine[] {
  return lines.filter((line) => line.debit !== 0n || line.credit !== 0n)
}

/**
 * One line for each account and contact, debits less credits, in the order of first mention; a line of 0
 * is dropped. A description is kept if all merged lines share it.
 */
export function mergeByAccount(lines: readonly PostingLine[]): PostingLine[] {
  const merged = new Map<string, PostingLine>()
  for (const line of lines) {
    const key = `${line.accountId} ${line.contactId ?? ''}`
    const earlier = merged.get(key)
    merged.set(key, earlier ? mergeTwo(earlier, line) : { ...line })
  }
  return dropZeros([...merged.values()])
}

/** The reversal of a posting: the same lines with debits and credits swapped. */
export function reversalOf(lines: readonly PostingLine[]): PostingLine[] {
  return lines.map((line) => ({ ...line, debit: line.credit, credit: line.debit }))
}

/** The same lines with the debits first, as an accountant writes them. */
export function debitsFirst(lines: readonly PostingLine[]): PostingLine[] {
  return [...lines.filter((line) => line.debit > 0n), ...lines.filter((line) => line.credit > 0n)]
}

/**
 * Asserts that debits equal credits and that every line has one side above 0 and 0 on the other.
 * Throws an ordinary error, because an unbalanced posting is a bug, never the fault of the caller.
 */
export function assertBalanced(lines: readonly PostingLine[]): void {
  for (const line of lines) {
    const oneSided = (line.debit > 0n && line.credit === 0n) || (line.credit > 0n && line.debit === 0n)
    if (!oneSided) {
      const { accountId, debit, credit } = line
      throw new Error(`a posting line needs one side above 0: ${accountId} debit ${debit} credit ${credit}`)
    }
  }
  const debits = sum(lines.map((line) => line.debit))
  const credits = sum(lines.map((line) => line.credit))
  if (debits !== credits) throw new Error(`a posting must balance: debits ${debits}, credits ${credits}`)
}

export interface BaseConversion {
  currency: string
  /** Units of the base currency for one unit of `currency`. */
  exchangeRate: string
  baseCurrency: string
  /** The accounts, such as those of revenue, that may take the rounding difference. */
  absorbers: ReadonlySet<string>
}

/**
 * Converts the balanced lines of a document into the base currency so that they still balance exactly
 * (decisions §3). Each line is converted and rounded by itself. The rounding difference goes to the largest line of the
 * absorbers, or of all lines but the first where there is none. So the first line, the control account, and, where there
 * is an absorber, the taxes keep their amounts: the customer's balance and the tax return are read from them. Lines of 0 are
 * dropped.
 */
export function balanceInBase(lines: readonly PostingLine[], conversion: BaseConversion): PostingLine[] {
  const { currency, exchangeRate, baseCurrency, absorbers } = conversion
  if (currency === baseCurrency) return dropZeros(lines)
  const converted = lines.map((line) => ({
    ...line,
    debit: toBase(line.debit, currency, exchangeRate, baseCurrency),
    credit: toBase(line.credit, currency, exchangeRate, baseCurrency),
  }))
  const difference = sum(converted.map(debitBalance))
  if (difference === 0n) return dropZeros(converted)
  const absorber = largest(converted.filter((line) => absorbers.has(line.accountId))) ?? largest(converted.slice(1))
  if (!absorber) throw new Error('a posting of one line cannot balance')
  return dropZeros(
    converted.map((line) => (line === absorber ? debit(line.accountId, debitBalance(line) - difference, line) : line)),
  )
}

function mergeTwo(a: PostingLine, b: PostingLine): PostingLine {
  return debit(a.accountId, debitBalance(a) + debitBalance(b), {
    description: a.description === b.description ? a.description : null,
    contactId: a.contactId,
  })
}

function largest(lines: readonly PostingLine[]): PostingLine | undefined {
  let found: PostingLine | undefined
  for (const line of lines) {
    if (!found || magnitude(debitBalance(line)) > magnitude(debitBalance(found))) found = line
  }
  return found
}
