// Place of supply: every form that callers write a state of India in.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  findState, isIntraState, placeOfSupply, stateOfGstCode, STATES,
} from '../../domain/place-of-supply.ts'
import { refusalOf } from './refusal.ts'

const oneState = fc.constantFrom(...STATES)

describe('forms of a state', () => {
  test.each([
    ['IN-KA', 'IN-KA'],
    ['in-ka', 'IN-KA'],
    [' IN - KA ', 'IN-KA'],
    ['29', 'IN-KA'],
    ['Karnataka', 'IN-KA'],
    ['KARNATAKA', 'IN-KA'],
    ['29-Karnataka', 'IN-KA'],
    ['29 - karnataka', 'IN-KA'],
    ['07', 'IN-DL'],
    ['NCT of Delhi', 'IN-DL'],
    ['New Delhi', 'IN-DL'],
    ['07 - new delhi', 'IN-DL'],
    ['7', 'IN-DL'],
    [' 7 ', 'IN-DL'],
    ['7-Delhi', 'IN-DL'],
    ['1', 'IN-JK'],
    ['9', 'IN-UP'],
    ['Telengana', 'IN-TS'],
    ['36-TELENGANA', 'IN-TS'],
    ['IN-UT', 'IN-UK'],
    ['05-Uttarakhand', 'IN-UK'],
    ['05-Uttaranchal', 'IN-UK'],
    ['IN-CT', 'IN-CG'],
    ['22-Chattisgarh', 'IN-CG'],
    ['IN-OR', 'IN-OD'],
    ['Orissa', 'IN-OD'],
    ['IN-TG', 'IN-TS'],
    ['Telangana', 'IN-TS'],
    ['IN-DN', 'IN-DH'],
    ['IN-DD', 'IN-DH'],
    ['25', 'IN-DH'],
    ['26', 'IN-DH'],
    ['25-Daman & Diu', 'IN-DH'],
    ['Daman and Diu', 'IN-DH'],
    ['Dadra & Nagar Haveli', 'IN-DH'],
    ['Dadra & Nagar Haveli & Daman & Diu', 'IN-DH'],
    ['28', 'IN-AP'],
    ['37', 'IN-AP'],
    ['37-Andhra Pradesh (New)', 'IN-AP'],
    ['Jammu & Kashmir', 'IN-JK'],
    ['jammuandkashmir', 'IN-JK'],
    ['01-Jammu and Kashmir', 'IN-JK'],
    ['38-Ladakh', 'IN-LA'],
    ['Pondicherry', 'IN-PY'],
    ['Puducherry', 'IN-PY'],
    ['Tamilnadu', 'IN-TN'],
    ['Andaman & Nicobar Islands', 'IN-AN'],
    ['Andaman and Nicobar', 'IN-AN'],
    ['97', 'IN-OT'],
    ['97-Other Territory', 'IN-OT'],
    ['other territory', 'IN-OT'],
  ])('%j is %s', (text, code) => {
    expect(placeOfSupply(text)).toBe(code)
  })

  test.each([
    'IN-IN', 'IN', 'India', 'Karnatka', 'KA', '96', '99', '96-Other Country', '00', '39', '0', '007', '70', '7-Kerala', '7-', '-7', '7.0', '029', '29-Kerala',
    '29-', '-29', '29-KA', 'IN-29', 'Nagal', 'Bengaluru', '', ' ', 'IN-XX', '__proto__', 'constructor', '२९',
    'Nepal', 'IN_KA', 'INKA', 'Foreign Country',
  ])('%j is refused', text => {
    expect(findState(text)).toBeNull()
    expect(refusalOf(() => placeOfSupply(text))).toMatchObject({
      code: 'validation.invalid_value', status: 422, field: 'place_of_supply',
    })
  })

  test('normalising twice is normalising once, whatever is sent', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), oneState.map(state => state.name)), text => {
      const once = findState(text)
      if (once !== null) expect(findState(once)).toBe(once)
    }))
  })

  test('every state is found by each of its forms, in any case and with any spaces', () => {
    fc.assert(fc.property(oneState, fc.infiniteStream(fc.boolean()), (state, coins) => {
      const codes = [state.code, state.gst, ...state.formerCodes]
      const names = [state.name, ...state.otherNames]
      const forms = [...codes, ...names, ...names.map(name => `${state.gst}-${name}`)]
      for (const form of forms.flatMap(each => [each, each.replaceAll(' and ', ' & ')])) {
        const letters = [...form]
        const written = letters.map(each => (coins.next().value ? each.toUpperCase() : ` ${each.toLowerCase()}`))
        expect(findState(written.join(''))).toBe(state.code)
      }
    }))
  })
})

describe('the table of states', () => {
  test('has the 36 states and union territories and Other Territory, each code once', () => {
    expect(STATES).toHaveLength(37)
    const codes = STATES.flatMap(state => [state.code, state.gst, ...state.formerCodes])
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('is read by canonical code and by GST code', () => {
    const stateOfCode = (wanted: string) => STATES.find(({ code }) => code === wanted) ?? null
    expect(stateOfCode('IN-KA')?.name).toBe('Karnataka')
    expect(stateOfCode('IN-UT')).toBeNull()
    expect(stateOfCode('in-ka')).toBeNull()
    expect(stateOfGstCode('28')).toBe('IN-AP')
    expect(stateOfGstCode('99')).toBeNull()
  })
})

test('a supply within the branch’s state is intra-state', () => {
  expect(isIntraState('IN-KA', 'IN-KA')).toBe(true)
  expect(isIntraState(placeOfSupply('IN-UT'), placeOfSupply('05'))).toBe(true)
  expect(isIntraState('IN-KA', 'IN-KL')).toBe(false)
})
