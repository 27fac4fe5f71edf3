// Amounts, quantities, rates and dates as they are printed, in figures and in words.
import { describe, expect, test } from '@jest/globals'
import { Exact } from '../../../domain/decimal.ts'
import { CURRENCIES } from '../../../domain/currencies.ts'
import { amountInWords } from '../../../domain/print/amount-in-words.ts'
import { amountOrBlank, printedAmount, printedDate, printedMoney, printedPercent, printedQuantity, printedRate } from '../../../domain/print/figures.ts'
import { upiLink } from '../../../domain/print/upi-link.ts'

describe('amounts', () => {
  test.each([
    [0n, 'INR', '0.00'],
    [5n, 'INR', '0.05'],
    [99_999n, 'INR', '999.99'],
    [100_000n, 'INR', '1,000.00'],
    [9_999_999n, 'INR', '99,999.99'],
    [10_000_000n, 'INR', '1,00,000.00'],
    [1_234_567_890n, 'INR', '1,23,45,678.90'],
    [-1_234_567_890n, 'INR', '-1,23,45,678.90'],
    [1_000_000_000_000_000n, 'INR', '1,00,00,00,00,00,000.00'],
    [1_234_567_890n, 'USD', '12,345,678.90'],
    [-100n, 'USD', '-1.00'],
    [1_234_567n, 'JPY', '1,234,567'],
    [1_234_567n, 'KWD', '1,234.567'],
  ])('%s of %s is %s', (amount, currency, printed) => expect(printedAmount(amount, currency)).toBe(printed))

  test('the grouped figures are those of the amount, whatever it is', () => {
    let amount = 1n
    for (let round = 0; round < 60; round += 1) {
      for (const { code } of CURRENCIES.slice(0, 40)) {
        const [sign, whole = ''] = [amount < 0n ? -1n : 1n, printedAmount(amount, code).replace('-', '')]
        expect(BigInt(whole.replaceAll(/[.,]/g, '')) * sign).toBe(amount)
        expect(whole.split('.')[0]).toMatch(code === 'INR' ? /^\d{1,2}(,\d\d)*,\d{3}$|^\d{1,3}$/ : /^\d{1,3}(,\d{3})*$/)
      }
      amount = (amount * 37n + 11n) % 10n ** 15n * (round % 2 === 0 ? -1n : 1n)
    }
  })

  test('have the sign of the rupee, else the code; and 0 may be left out', () => {
    expect(printedMoney(11_800_000n, 'INR')).toBe('₹ 1,18,000.00')
    expect(printedMoney(11_800_000n, 'USD')).toBe('USD 118,000.00')
    expect(amountOrBlank(0n, 'INR')).toBe('')
    expect(amountOrBlank(-1n, 'INR')).toBe('-0.01')
  })
})

test.each([
  ['2150', 'INR', '2,150.00'], ['1895.5', 'INR', '1,895.50'], ['0.0125', 'INR', '0.0125'], ['100', 'JPY', '100'], ['12345678.1234', 'USD', '12,345,678.1234'], ['1.10', 'INR', '1.10'],
])('a rate of %s %s is %s', (rate, currency, printed) => expect(printedRate(rate, currency)).toBe(printed))

test.each([['40.000', '40'], ['0.125', '0.125'], ['1234567.50', '12,34,567.5'], ['1e-7', '0.0000001']])('a quantity of %s is %s', (quantity, printed) => {
  expect(printedQuantity(quantity, 'INR')).toBe(printed)
})

test.each([['18', '18%'], ['0.250', '0.25%'], [new Exact('2.5'), '2.5%'], ['0', '0%']])('%s per cent', (percent, printed) => expect(printedPercent(percent)).toBe(printed))

test.each([['2026-04-01', '01 Apr 2026'], ['2028-02-29', '29 Feb 2028'], ['0999-12-31', '31 Dec 0999'], [null, '']])('the date %s', (date, printed) => expect(printedDate(date)).toBe(printed))

describe('words', () => {
  test.each([
    [0n, 'INR', 'Indian Rupees Zero Only'],
    [1n, 'INR', 'Indian Rupees Zero and One Paise Only'],
    [100n, 'INR', 'Indian Rupees One Only'],
    [1_150n, 'INR', 'Indian Rupees Eleven and Fifty Paise Only'],
    [11_800_050n, 'INR', 'Indian Rupees One Lakh Eighteen Thousand and Fifty Paise Only'],
    [1_234_567_890n, 'INR', 'Indian Rupees One Crore Twenty Three Lakh Forty Five Thousand Six Hundred Seventy Eight and Ninety Paise Only'],
    [10_000_000n * 100n, 'INR', 'Indian Rupees One Crore Only'],
    [1_000_000_000_000_000n, 'INR', 'Indian Rupees Ten Lakh Crore Only'],
    [1_000_100n * 100n, 'INR', 'Indian Rupees Ten Lakh One Hundred Only'],
    [-250_000n, 'INR', 'Minus Indian Rupees Two Thousand Five Hundred Only'],
    [1_234_567_890n, 'USD', 'US Dollars Twelve Million Three Hundred Forty Five Thousand Six Hundred Seventy Eight and Ninety Cents Only'],
    [100_000n, 'JPY', 'Japanese Yen One Hundred Thousand Only'],
    [1_001n, 'KWD', 'Kuwaiti Dinars One and One Fils Only'],
    [1_250n, 'SEK', 'Swedish Krona Twelve and 50/100 Only'],
    [10_000_000_000_000n * 100n, 'USD', 'US Dollars Ten Trillion Only'],
    [1n, 'UYW', 'Unidad Previsional Zero and 1/10000 Only'],
  ])('%s of %s', (amount, currency, words) => expect(amountInWords(amount, currency)).toBe(words))

  // Read back by what each word is worth.
  const WORTH: Record<string, bigint> = Object.fromEntries(
    'Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen'
      .split(' ').map((word, worth) => [word, BigInt(worth)]).concat('Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety'.split(' ').map((word, place) => [word, BigInt(place * 10 + 20)])),
  )
  const SCALE: Record<string, bigint> = { Hundred: 100n, Thousand: 1_000n, Lakh: 100_000n, Crore: 10_000_000n, Million: 10n ** 6n, Billion: 10n ** 9n, Trillion: 10n ** 12n }
  function worthOf(words: string): bigint {
    const parts: bigint[] = []
    for (const word of words.split(' ')) {
      const scale = SCALE[word]
      if (scale === undefined) parts.push(WORTH[word]!)
      else parts.push(parts.splice(parts.findLastIndex((part) => part >= scale) + 1).reduce((a, b) => a + b, 0n) * scale)
    }
    return parts.reduce((a, b) => a + b, 0n)
  }

  test('say the amount, whatever it is', () => {
    let units = 7n
    for (let round = 0; round < 2_000; round += 1) {
      units = (units * 48_271n + 11n) % 10n ** BigInt((round % 13) + 1)
      for (const [currency, name] of [['INR', 'Indian Rupees '], ['USD', 'US Dollars ']] as const) {
        expect(worthOf(amountInWords(units * 100n, currency).replace(name, '').replace(' Only', ''))).toBe(units)
      }
    }
  })
})

test('a UPI link has the amount in rupees, and text of any kind', () => {
  const link = upiLink({ address: 'asha.traders@okbank', payee: 'Asha & Söhne', amount: 11_800_050n, note: 'INV/2026-27/001 #1?' })
  expect(link).toBe('upi://pay?pa=asha.traders@okbank&pn=Asha%20%26%20S%C3%B6hne&am=118000.50&cu=INR&tn=INV%2F2026-27%2F001%20%231%3F')
  const long = upiLink({ address: 'a@b', payee: '😀'.repeat(200), amount: 1n, note: '&am=1' })
  expect(new URL(long).searchParams.get('pn')).toBe('😀'.repeat(50))
  expect(new URL(long).searchParams.getAll('am')).toEqual(['0.01'])
})
