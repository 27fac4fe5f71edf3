// GSTIN and PAN: shapes, the check character, what a GSTIN says.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { gstinCheckCharacter, hasGstinShape, isGstin, isPan, panOfGstin, stateOfGstin } from '../../domain/gstin.ts'
import { STATES } from '../../domain/place-of-supply.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const DIGITS = [...'0123456789']
const drawn = (alphabet: string[], length: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length }).map(parts => parts.join(''))

const pan = fc.tuple(drawn(LETTERS, 5), drawn(DIGITS, 4), drawn(LETTERS, 1)).map(parts => parts.join(''))
const gstin = fc
  .tuple(fc.constantFrom(...STATES.map(state => state.gst)), pan, fc.constantFrom(...'123456789AZ'))
  .map(([state, number, entity]) => `${state}${number}${entity}Z`)
  .map(first14 => first14 + gstinCheckCharacter(first14))

describe('a GSTIN', () => {
  test.each([
    '27AAPFU0939F1ZV', '29AAGCB7383J1Z4', '29ABCDE1234F1ZW',
  ])('%s is one', text => {
    expect(isGstin(text)).toBe(true)
  })

  test.each([
    ['27AAPFU0939F1ZW', 'another check character'],
    ['27aapfu0939f1zv', 'lower case'],
    ['27AAPFU0939F1Z', 'too short'],
    ['27AAPFU0939F1ZVV', 'too long'],
    ['27AAPFU0939F0ZK', 'registration 0'],
    ['27AAPFU0939F1XV', '14th is not Z'],
    [' 27AAPFU0939F1ZV', 'a space'],
    ['', 'nothing'],
  ])('%j is none: %s', text => {
    expect(isGstin(text)).toBe(false)
  })

  test('of a state that does not exist is none, even with the right check character', () => {
    for (const state of ['00', '39', '96', '99']) {
      const first14 = `${state}AAPFU0939F1Z`
      expect(isGstin(first14 + gstinCheckCharacter(first14))).toBe(false)
    }
  })

  test('may have the shape and yet be none', () => {
    expect(hasGstinShape('27AAPFU0939F1ZW')).toBe(true)
    expect(hasGstinShape('27aapfu0939f1zv')).toBe(false)
    expect(hasGstinShape('27AAPFU0939F1Z')).toBe(false)
    expect(hasGstinShape('A7AAPFU0939F1ZV')).toBe(false)
    expect(hasGstinShape('27AAPFU0939F1ZVV')).toBe(false)
  })

  test('of who deducts or collects tax at source, and of a UN body, is one', () => {
    for (const first14 of ['27AAPFU0939F1D', '27AAPFU0939F1C', '27MUMA12345B1D', '2917IND00001UN']) {
      expect(isGstin(first14 + gstinCheckCharacter(first14))).toBe(true)
    }
  })

  test('has its state and its PAN', () => {
    fc.assert(fc.property(gstin, text => {
      expect(isGstin(text)).toBe(true)
      expect(STATES.find(state => state.gst === text.slice(0, 2))?.code).toBe(stateOfGstin(text))
      expect(isPan(panOfGstin(text) ?? '')).toBe(true)
    }))
    expect(stateOfGstin('27AAPFU0939F1ZV')).toBe('IN-MH')
    expect(panOfGstin('27AAPFU0939F1ZV')).toBe('AAPFU0939F')
    expect(panOfGstin('2917IND00001UNX')).toBeNull()
  })

  test('does not survive the change of any single character', () => {
    fc.assert(fc.property(gstin, fc.nat(14), fc.constantFrom(...DIGITS, ...LETTERS), (text, place, letter) => {
      fc.pre(text[place] !== letter)
      expect(isGstin(text.slice(0, place) + letter + text.slice(place + 1))).toBe(false)
    }))
  })

  test('has a check character only for 14 characters', () => {
    expect(() => gstinCheckCharacter('27AAPFU0939F1')).toThrow('14 characters')
    expect(() => gstinCheckCharacter('27aapfu0939f1z')).toThrow('14 characters')
  })
})

describe('a PAN', () => {
  test.each<[string, boolean]>([
    ['AAPFU0939F', true], ['ABCDE1234F', true], ['AAPFU0939', false], ['aapfu0939f', false], ['AAPF10939F', false],
    ['AAPFU09393', false], ['', false],
  ])('%j: %s', (text, is) => {
    expect(isPan(text)).toBe(is)
  })
})
