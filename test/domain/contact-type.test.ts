// Whom an organisation may sell to and buy from.
import { describe, expect, test } from '@jest/globals'
import { refuseWrongParty, type Party } from '../../domain/contact-type.ts'
import { refusalOf } from './refusal.ts'

describe('a contact', () => {
  test.each<[string, Party]>([['CUSTOMER', 'customer'], ['VENDOR', 'vendor'], ['BOTH', 'customer'], ['BOTH', 'vendor']])('%s may be a %s', (type, party) => {
    expect(() => refuseWrongParty(type, party, 'contact_id')).not.toThrow()
  })

  test.each<[string, Party, string]>([
    ['VENDOR', 'customer', 'This contact is a vendor, not a customer.'],
    ['CUSTOMER', 'vendor', 'This contact is a customer, not a vendor.'],
  ])('that is only %s is no %s', (type, party, message) => {
    const refused = () => refuseWrongParty(type, party, 'contact_id')
    expect(refused).toThrow(message)
    expect(refusalOf(refused)).toMatchObject({ code: 'validation.invalid_value', field: 'contact_id' })
  })
})
