// The link by which an invoice is paid over the Unified Payments Interface; it is printed as a QR code.
import { toDecimalText, type Minor } from '../money.ts'
import { RUPEE } from './figures.ts'

export interface UpiPayment {
  /** The address that is paid to: 'name@bank'. */
  address: string
  /** Who is paid. */
  payee: string
  amount: Minor
  /** What the payer's bank shows. */
  note: string
}

// Names and notes that are longer are refused by some of the apps that read the code.
const MOST_CHARACTERS = 50

/** `upi://pay` with the amount in rupees, after the linking specification of NPCI. The apps take no other currency. */
export function upiLink({ address, payee, amount, note }: UpiPayment): string {
  const fields = { pn: shortened(payee), am: toDecimalText(amount, RUPEE), cu: RUPEE, tn: shortened(note) }
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  // The at sign of the address is not encoded: there are apps that do not decode it.
  return `upi://pay?pa=${encodeURIComponent(address).replaceAll('%40', '@')}&${query.join('&')}`
}

const shortened = (text: string) => [...text].slice(0, MOST_CHARACTERS).join('')
