// A month of a trader in handlooms: what is bought, sold, paid, returned, promised and put right.
import type { Schema } from '../../client/src/index.ts'
import { bill, expense, invoice, journal, payment } from './entries.ts'
import { acceptEstimate, sendPart } from './orders.ts'
import { sendBack, takeBack } from './returns.ts'
import type { Trader } from './trader.ts'

// The ids of customers, vendors and items.
interface Trade {
  emporium: string
  silkHouse: string
  abroad: string
  yarnMill: string
  dyer: string
  carrier: string
  saree: string
  stole: string
  embroidery: string
}

/** Books the whole month, and prints a line for each entry. */
export async function bookMonth(trader: Trader): Promise<void> {
  const trade = await openTrade(trader)
  trader.print('')
  const bought = await stockUp(trader, trade)
  const sold = await sell(trader, trade)
  await promise(trader, trade)
  await takeBack(trader, sold, { date: trader.day(15), line_items: [{ item_id: trade.saree, quantity: 2, restock: true }] })
  await sendBack(trader, {
    vendor_id: bought.vendor_id, bill_id: bought.bill_id, date: trader.day(16), reason: 'Faulty dye', line_items: [{ item_id: trade.stole, quantity: 12 }],
  })
  await spend(trader, trade)
}

// Creates customers, vendors and items.
async function openTrade(trader: Trader): Promise<Trade> {
  const contact = async (contact_name: string, contact_type: 'CUSTOMER' | 'VENDOR', place_of_contact: string, more: Partial<Schema<'NewContact'>> = {}) => {
    const { contact } = await trader.bahi.post('/contacts', { body: { contact_name, contact_type, place_of_contact, ...more } })
    trader.print(`${contact_type === 'CUSTOMER' ? 'Customer' : 'Vendor'}: ${contact_name}, ${contact.place_of_contact}`)
    return contact.contact_id
  }
  const item = async (item_name: string, more: Omit<Schema<'NewItem'>, 'item_name'>) => {
    const { item } = await trader.bahi.post('/items', { body: { item_name, ...more } })
    trader.print(`Item: ${item_name}, ${item.rate} a ${item.unit}`)
    return item.item_id
  }
  return {
    emporium: await contact('Mysuru Emporium', 'CUSTOMER', 'IN-KA', { payment_terms: 30 }),
    silkHouse: await contact('Chennai Silk House', 'CUSTOMER', 'Tamil Nadu', { payment_terms: 15 }),
    abroad: await contact('Nordic Textiles', 'CUSTOMER', '97', { currency_code: 'USD', payment_terms: 45 }),
    yarnMill: await contact('Ilkal Yarn Mills', 'VENDOR', '29', { payment_terms: 30 }),
    dyer: await contact('Mandya Dye Works', 'VENDOR', 'IN-KA', { payment_terms: 15 }),
    carrier: await contact('Gowda Transport', 'VENDOR', 'IN-KA'),
    saree: await item('Silk saree', { hsn_or_sac: '5007', unit: 'PCS', rate: 4800, purchase_rate: 3100, tax_id: trader.taxes['GST 5%'] }),
    stole: await item('Cotton stole', { hsn_or_sac: '6214', unit: 'PCS', rate: 650, purchase_rate: 380, tax_id: trader.taxes['GST 5%'] }),
    embroidery: await item('Hand embroidery', {
      item_type: 'SERVICE', hsn_or_sac: '9988', unit: 'HRS', rate: 320, tax_id: trader.taxes['GST 18%'],
    }),
  }
}

// Books the owner's capital and purchases. Returns the bill for the goods.
async function stockUp(trader: Trader, { yarnMill, dyer, saree, stole }: Trade): Promise<Schema<'Bill'>> {
  await journal(trader, 1, "The owner's capital", 'Bank Account', 'Capital Account', 500_000)
  const goods = await bill(trader, {
    vendor_id: yarnMill, date: trader.day(2), bill_number: 'IYM/1180', place_of_supply: 'IN-KA',
    line_items: [{ item_id: saree, quantity: 40 }, { item_id: stole, quantity: 150 }],
  })
  const dyes = await bill(trader, {
    vendor_id: dyer, date: trader.day(4), bill_number: 'MDW-77', place_of_supply: 'IN-KA',
    line_items: [{ name: 'Indigo dye', quantity: 25, unit: 'KGS', rate: 840, hsn_or_sac: '3204', tax_id: trader.taxes['GST 18%'] }],
  })
  await payment(trader, 'Paid the bill', {
    flow: 'OUTGOING', contact_id: dyer, date: trader.day(12), amount: dyes.total, mode: 'BANK_TRANSFER', reference_number: 'UTR5501',
    allocations: [{ bill_id: dyes.bill_id, amount: dyes.total }],
  })
  return goods
}

// Sales within the state, to another state and abroad; a partial payment with TDS, an advance that is applied to an invoice,
// and an invoice by mistake that is voided. Returns the invoice within the state.
async function sell(trader: Trader, { emporium, silkHouse, abroad, saree, stole, embroidery }: Trade): Promise<Schema<'Invoice'>> {
  const advance = await payment(trader, 'Advance received', {
    flow: 'INCOMING', payment_type: 'ADVANCE', contact_id: silkHouse, date: trader.day(3), amount: 30_000, mode: 'UPI', reference_number: 'UPI8841',
  })
  const home = await invoice(trader, 'Invoice in the state', {
    customer_id: emporium, date: trader.day(5), place_of_supply: 'IN-KA',
    line_items: [{ item_id: saree, quantity: 12 }, { item_id: embroidery, quantity: 30, discount: 600 }],
  })
  const across = await invoice(trader, 'Invoice out of the state', {
    customer_id: silkHouse, date: trader.day(6), place_of_supply: 'IN-TN', line_items: [{ item_id: saree, quantity: 8 }, { item_id: stole, quantity: 40 }],
  })
  await trader.bahi.post('/payments/{payment_id}/apply', { path: { payment_id: advance.payment_id }, body: { invoice_id: across.invoice_id, amount: 30_000 } })
  trader.printEntry('Applied the advance', advance.payment_number, across.invoice_number, 30_000)
  await payment(trader, 'Part payment, 1% TDS withheld', {
    flow: 'INCOMING', contact_id: emporium, date: trader.day(10), amount: 40_000, tds_amount: 400, reference_number: 'UTR7719',
    allocations: [{ invoice_id: home.invoice_id, amount: 40_000 }],
  })
  const mistaken = await invoice(trader, 'Invoice, to the wrong party', {
    customer_id: emporium, date: trader.day(11), place_of_supply: 'IN-KA', line_items: [{ item_id: stole, quantity: 15 }],
  })
  await trader.bahi.post('/invoices/{invoice_id}/void', { path: { invoice_id: mistaken.invoice_id }, body: { reason: 'Meant for another customer' } })
  trader.printEntry('Voided', mistaken.invoice_number, mistaken.customer_name, -mistaken.total)
  await sellAbroad(trader, abroad, stole)
  return home
}

// The rupee falls between the invoice and its payment, which makes an exchange gain.
async function sellAbroad(trader: Trader, abroad: string, stole: string): Promise<void> {
  const exported = await invoice(trader, 'Invoice abroad', {
    customer_id: abroad, date: trader.day(8), place_of_supply: '97', currency_code: 'USD', exchange_rate: 84.5,
    line_items: [{ item_id: stole, quantity: 60, rate: 11.25, tax_id: trader.taxes['IGST 0%'] }],
  })
  await payment(trader, 'Paid from abroad, at 85.10', {
    flow: 'INCOMING', contact_id: abroad, date: trader.day(18), amount: 400, currency_code: 'USD', exchange_rate: 85.1, bank_charges: 8,
    reference_number: 'SWIFT-2231', allocations: [{ invoice_id: exported.invoice_id, amount: 400 }],
  })
}

// Estimates and orders that are converted to invoices, one of them in part.
async function promise(trader: Trader, { emporium, silkHouse, saree, stole, embroidery }: Trade): Promise<void> {
  await acceptEstimate(trader, {
    customer_id: emporium, date: trader.day(13), expiry_date: trader.day(28), notes: 'For the festival window',
    line_items: [{ item_id: saree, quantity: 5, discount: 1500 }, { item_id: embroidery, quantity: 16 }],
  })
  await sendPart(trader, { customer_id: silkHouse, date: trader.day(14), line_items: [{ item_id: stole, quantity: 90 }] }, 60)
}

// Expenses of the month: rent, carriage under reverse charge, depreciation of the looms.
async function spend(trader: Trader, { carrier }: Trade): Promise<void> {
  await expense(trader, 'Rent, tax inclusive', {
    date: trader.day(5), account_id: trader.accounts.Rent!, amount: 29_500, tax_id: trader.taxes['GST 18%'], is_inclusive_tax: true,
    reference_number: 'RENT',
  })
  await expense(trader, 'Carriage under reverse charge', {
    date: trader.day(9), account_id: trader.accounts['Freight Inward']!, amount: 6_000, vendor_id: carrier, is_rcm: true, rcm_rate: 5,
  })
  await journal(trader, 28, 'Wear of the looms', 'Depreciation', 'Accumulated Depreciation', 3_250)
}
