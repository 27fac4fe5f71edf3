// What the GSTIN of a contact decides of its treatment, state and PAN.
import { describe, expect, test } from '@jest/globals'
import { contactRegistration } from '../../domain/contact-registration.ts'
import { refusalOf } from './refusal.ts'

type Before = Parameters<typeof contactRegistration>[0]
type Sent = Parameters<typeof contactRegistration>[1]

const NONE: Before = { gst_no: null, gst_treatment: null, place_of_contact: null, pan: null }
const KARNATAKA = '29AABCT1332L1ZU'
const MAHARASHTRA = '27AAPFU0939F1ZV'
const BEFORE: Before = { gst_no: KARNATAKA, gst_treatment: 'SEZ', place_of_contact: 'IN-KA', pan: 'AABCT1332L' }
const AFTER = { gst_no: MAHARASHTRA, gst_treatment: 'SEZ', place_of_contact: 'IN-MH', pan: 'AAPFU0939F' }

describe('the GSTIN of a contact', () => {
  test.each<[string, Before, Sent, ReturnType<typeof contactRegistration>]>([
    ['gives everything to a contact without any', NONE, { gst_no: MAHARASHTRA }, { ...AFTER, gst_treatment: 'REGISTERED' }],
    ['is trimmed and in upper case', NONE, { gst_no: ` ${MAHARASHTRA.toLowerCase()} ` }, { ...AFTER, gst_treatment: 'REGISTERED' }],
    ['leaves the treatment that is sent', NONE, { gst_no: MAHARASHTRA, gst_treatment: ' SEZ ' }, AFTER],
    ['is REGISTERED when a blank treatment is sent', NONE, { gst_no: MAHARASHTRA, gst_treatment: ' ' }, { ...AFTER, gst_treatment: 'REGISTERED' }],
    ['replaces what the former one gave, and keeps the treatment', BEFORE, { gst_no: MAHARASHTRA }, AFTER],
    ['keeps a state that is not of the former one', { ...BEFORE, place_of_contact: 'IN-GA' }, { gst_no: MAHARASHTRA }, { ...AFTER, place_of_contact: 'IN-GA' }],
    ['keeps a PAN that is not of the former one', { ...BEFORE, pan: 'ABCDE1234F' }, { gst_no: MAHARASHTRA }, { ...AFTER, pan: 'ABCDE1234F' }],
    ['keeps a state that was set without one', { ...NONE, place_of_contact: 'IN-KA' }, { gst_no: MAHARASHTRA }, { ...AFTER, place_of_contact: 'IN-KA', gst_treatment: 'REGISTERED' }],
    ['has no PAN for a UN body', NONE, { gst_no: '2917IND00001UNX' }, { gst_no: '2917IND00001UNX', gst_treatment: 'REGISTERED', place_of_contact: 'IN-KA', pan: null }],
    ['alone is cleared by null', BEFORE, { gst_no: null }, { gst_no: null }],
    ['alone is cleared by a blank', BEFORE, { gst_no: ' ' }, { gst_no: null }],
  ])('%s', (_what, before, sent, expected) => {
    expect(contactRegistration(before, sent)).toEqual(expected)
  })

  test.each(['29', '27AAPFU0939F1Z', 'A7AAPFU0939F1ZV', '27AAPFU0939F1ZVV'])('must have its shape, unlike %s', (gst_no) => {
    expect(refusalOf(() => contactRegistration(NONE, { gst_no }))).toMatchObject({ code: 'validation.invalid_value', field: 'gst_no' })
  })
})
