// Amounts and quantities as people in India write them: 12,34,567.50.
const grouped = new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const plain = new Intl.NumberFormat('en-IN', { maximumFractionDigits: 6 })
const short = new Intl.NumberFormat('en-IN', { notation: 'compact', maximumFractionDigits: 1 })

/** With two digits after the point, as most currencies have. */
export const amount = (value: number): string => grouped.format(value)

export const quantity = (value: number): string => plain.format(value)

/** For scales: 1.2L, 3Cr. */
export const about = (value: number): string => short.format(value)

/** With the currency; rupees by their sign. */
export const money = (value: number, currency = 'INR'): string =>
  new Intl.NumberFormat('en-IN', { style: 'currency', currency }).format(value)
