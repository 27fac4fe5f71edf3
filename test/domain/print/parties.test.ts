// Who a document is from, whom it is for, and where its goods leave from and go, as it is printed.
import { describe, expect, test } from '@jest/globals'
import { printTrade } from '../../../domain/print/print-trade.ts'
import type { PrintedTrade, Surroundings } from '../../../domain/print/printed-source.ts'
import { AROUND, around, tradeOf } from './trades.ts'

const print = (trade: PrintedTrade, surroundings: Surroundings = AROUND) => printTrade(trade, surroundings, null)

describe('the parties', () => {
  test('the organisation is printed with the GSTIN of the branch, and the PAN in it', () => {
    expect(print(tradeOf([{}])).organization).toEqual({
      name: 'Asha Traders', legal_name: 'Asha Traders Private Limited', address: [{ text: '14, Residency Road' }, { text: 'Bengaluru 560025, Karnataka' }],
      gstin: '29AABCT1332L1ZU', pan: 'AABCT1332L', state: 'Karnataka (29)', branch: '', phone: '1', email: 'accounts@asha.example',
    })
    const chennai = around('branch', { name: 'Chennai', state: 'IN-TN', gstin: '33AABCT1332L1ZX', city: 'Chennai', is_default: false })
    expect(print(tradeOf([{}]), chennai).organization).toMatchObject({ gstin: '33AABCT1332L1ZX', state: 'Tamil Nadu (33)', branch: 'Chennai, Chennai' })
    expect(print(tradeOf([{}]), around('organization', { address: { address: 'One line' }, gstin: null })).organization)
      .toMatchObject({ address: [{ text: 'One line' }], gstin: 'Unregistered', pan: '' })
  })

  const CHORD_ROAD = { address: '7 Chord Road', city: 'Bengaluru', state_code: 'IN-KA', zip: '560010', country: null }

  test('a branch with an address of its own is printed and delivered to there', () => {
    const own = around('branch', { address: CHORD_ROAD })
    expect(print(tradeOf([{}]), own).organization).toMatchObject({ branch: '', address: [{ text: '7 Chord Road' }, { text: 'Bengaluru 560010, Karnataka' }] })
    const second = around('branch', { address: CHORD_ROAD, name: 'Chord Road', is_default: false })
    expect(print(tradeOf([{}]), second).organization).toMatchObject({ branch: 'Chord Road', address: [{ text: '7 Chord Road' }, { text: 'Bengaluru 560010, Karnataka' }] })
    const order = tradeOf([{}], { kind: 'PURCHASE_ORDER' })
    expect(print(order, second).ship_to.address).toEqual([{ text: 'Chord Road' }, { text: '7 Chord Road' }, { text: 'Bengaluru 560010, Karnataka' }])
    expect(print(order, around('branch', { name: 'Chord Road', is_default: false })).ship_to.address).toEqual([{ text: 'Chord Road, Bengaluru' }])
  })

  test('an invoice of goods says where they leave from, if that is elsewhere', () => {
    const from = around('branch', { dispatch_address: CHORD_ROAD })
    const dispatched = [{ label: 'Dispatched from', value: '7 Chord Road, Bengaluru 560010, Karnataka' }]
    expect(print(tradeOf([{}]), from).details).toEqual(dispatched)
    expect(print(tradeOf([{ hsn: '998311' }]), from).details).toEqual([])
    expect(print(tradeOf([{}], { kind: 'ESTIMATE' }), from).details).toEqual([])
  })

  test('the contact with its state and code; where it is delivered only if elsewhere', () => {
    const printed = print(tradeOf([{}], {}, false))
    expect(printed.party).toEqual({
      heading: 'Bill to', name: 'Meena Sarees', address: [{ text: '7, Mount Road' }, { text: 'First floor' }, { text: 'Chennai 600002, Tamil Nadu' }],
      gstin: '33AAPFU0939F1ZV', pan: 'AAPFU0939F', state: 'Tamil Nadu (33)', phone: '', email: '',
    })
    expect([printed.place_of_supply, printed.ship_to.heading]).toEqual(['Tamil Nadu (33)', ''])
    const shipped = around('contact', { shipping_address: { address: 'Godown 3', city: 'Chennai', state_code: 'IN-TN' } })
    expect(print(tradeOf([{}]), shipped).ship_to).toMatchObject({ heading: 'Ship to', address: [{ text: 'Godown 3' }, { text: 'Chennai, Tamil Nadu' }], state: 'Tamil Nadu (33)' })
    const same = around('contact', { shipping_address: AROUND.contact.billing_address })
    expect(print(tradeOf([{}]), same).ship_to.heading).toBe('')
    expect(print(tradeOf([{}], { kind: 'PURCHASE_ORDER' })).ship_to).toMatchObject({ heading: 'Deliver to', name: 'Asha Traders' })
  })
})
