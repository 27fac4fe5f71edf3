// Writes an amount in words, in the Indian manner: lakh and crore for rupees, million and billion for other currencies.
import { findCurrency } from '../currencies.ts'
import { magnitude, minorPerUnit, type Minor } from '../money.ts'
import { RUPEE } from './figures.ts'

const SMALL = [
  'Zero',
  'One',
  'Two',
  'Three',
  'Four',
  'Five',
  'Six',
  'Seven',
  'Eight',
  'Nine',
  'Ten',
  'Eleven',
  'Twelve',
  'Thirteen',
  'Fourteen',
  'Fifteen',
  'Sixteen',
  'Seventeen',
  'Eighteen',
  'Nineteen',
]
const TENS = ['', '', 'Twenty', 'Thirty', 'Forty', 'Fifty', 'Sixty', 'Seventy', 'Eighty', 'Ninety']

// Crores are counted like any number: one lakh crore is 1,00,000 crore.
const INDIAN: [bigint, string][] = [
  [10_000_000n, 'Crore'],
  [100_000n, 'Lakh'],
  [1_000n, 'Thousand'],
  [100n, 'Hundred'],
]
const WESTERN: [bigint, string][] = [
  [1_000_000_000_000n, 'Trillion'],
  [1_000_000_000n, 'Billion'],
  [1_000_000n, 'Million'],
  [1_000n, 'Thousand'],
  [100n, 'Hundred'],
]

// What people call the units of the currencies that are invoiced most: of many, and the hundredth or thousandth part of one.
// Other currencies have the name of ISO 4217, and their minor units as a fraction.
const UNITS: Record<string, [major: string, minor: string]> = {
  INR: ['Indian Rupees', 'Paise'],
  USD: ['US Dollars', 'Cents'],
  EUR: ['Euros', 'Cents'],
  GBP: ['Pounds Sterling', 'Pence'],
  AED: ['UAE Dirhams', 'Fils'],
  SGD: ['Singapore Dollars', 'Cents'],
  AUD: ['Australian Dollars', 'Cents'],
  CAD: ['Canadian Dollars', 'Cents'],
  NZD: ['New Zealand Dollars', 'Cents'],
  HKD: ['Hong Kong Dollars', 'Cents'],
  CHF: ['Swiss Francs', 'Centimes'],
  CNY: ['Yuan Renminbi', 'Fen'],
  JPY: ['Japanese Yen', ''],
  SAR: ['Saudi Riyals', 'Halalas'],
  QAR: ['Qatari Riyals', 'Dirhams'],
  KWD: ['Kuwaiti Dinars', 'Fils'],
  BHD: ['Bahraini Dinars', 'Fils'],
  OMR: ['Omani Rials', 'Baisa'],
  MYR: ['Malaysian Ringgit', 'Sen'],
  THB: ['Thai Baht', 'Satang'],
  BDT: ['Bangladeshi Taka', 'Poisha'],
  NPR: ['Nepalese Rupees', 'Paisa'],
  LKR: ['Sri Lankan Rupees', 'Cents'],
  ZAR: ['South African Rand', 'Cents'],
}

/** 'Indian Rupees One Lakh Eighteen Thousand and Fifty Paise Only' for 11800050n of INR. */
export function amountInWords(amount: Minor, currency: string): string {
  const perUnit = minorPerUnit(currency)
  const [major, minor] = UNITS[currency] ?? [findCurrency(currency)?.name ?? currency, '']
  const [units, rest] = [magnitude(amount) / perUnit, magnitude(amount) % perUnit]
  const words = inWords(units, currency === RUPEE ? INDIAN : WESTERN)
  const part = minor === '' ? `${rest}/${perUnit}` : `${inWords(rest, WESTERN)} ${minor}`
  return `${amount < 0n ? 'Minus ' : ''}${major} ${words}${rest === 0n ? '' : ` and ${part}`} Only`
}

function inWords(number: bigint, scale: [bigint, string][]): string {
  if (number < 20n) return SMALL[Number(number)]!
  if (number < 100n) {
    const ones = number % 10n
    return `${TENS[Number(number / 10n)]}${ones === 0n ? '' : ` ${SMALL[Number(ones)]}`}`
  }
  const [size, name] = scale.find(([size]) => number >= size)!
  const rest = number % size
  return `${inWords(number / size, scale)} ${name}${rest === 0n ? '' : ` ${inWords(rest, scale)}`}`
}
