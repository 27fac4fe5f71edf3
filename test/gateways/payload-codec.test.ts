// Payloads come back under their key and under no other, and those that were never encrypted as they are.
import { randomBytes } from 'node:crypto'
import { defaultPayloadConverter, type Payload } from '@temporalio/common'
import { expect, test } from '@jest/globals'
import { createPayloadCodec, keyIdsOf } from '../../gateways/temporal/payload-codec.ts'

const newKey = () => randomBytes(32).toString('base64')
const [OLD, NEW] = [newKey(), newKey()]
const VALUE = { orgId: 'of Meena ₹', amounts: [1, 2], none: null }
const payload = defaultPayloadConverter.toPayload(VALUE)!
const old = createPayloadCodec(OLD)
const ring = createPayloadCodec(`${NEW},${OLD}`)

const readOf = (read: Payload | undefined) => defaultPayloadConverter.fromPayload(read!)
const metadataOf = ({ metadata }: Payload) =>
  Object.fromEntries(Object.entries(metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]))

test('what is encrypted comes back, and shows only which key it needs', async () => {
  const [encrypted] = await old.encode([payload])
  expect(metadataOf(encrypted!)).toEqual({ encoding: 'binary/encrypted', 'encryption-cipher': 'AES-256-GCM', 'encryption-key-id': keyIdsOf(OLD)[0] })
  expect(Buffer.from(encrypted!.data!).includes('Meena')).toBe(false)
  expect(readOf((await old.decode([encrypted!]))[0])).toEqual(VALUE)
  const [again] = await old.encode([payload])
  expect(Buffer.from(again!.data!).equals(Buffer.from(encrypted!.data!))).toBe(false)
})

test('empty, null and binary payloads come back too, in their order', async () => {
  const payloads = [undefined, null, new Uint8Array([0, 255])].map((value) => defaultPayloadConverter.toPayload(value)!)
  const read = await old.decode(await old.encode(payloads))
  expect(read.map(readOf)).toEqual([undefined, null, new Uint8Array([0, 255])])
  expect(await old.decode([])).toEqual([])
})

test('a payload of before is left as it is', async () => {
  expect(await old.decode([payload])).toEqual([payload])
})

test('the first key of a ring encrypts, each decrypts, and a missing one is named', async () => {
  const [first] = await old.encode([payload])
  const [second] = await ring.encode([payload])
  expect(metadataOf(second!)['encryption-key-id']).toBe(keyIdsOf(NEW)[0])
  expect((await ring.decode([first!, second!])).map(readOf)).toEqual([VALUE, VALUE])
  await expect(old.decode([second!])).rejects.toThrow(`encrypted with the key ${keyIdsOf(NEW)[0]}, and ENCRYPTION_KEY has only ${keyIdsOf(OLD)[0]}`)
})

test('every changed byte is noticed', async () => {
  const [encrypted] = await old.encode([payload])
  const bytes = Buffer.from(encrypted!.data!)
  for (let place = 0; place < bytes.length; place += 1) {
    const touched = Buffer.from(bytes)
    touched[place]! ^= 1
    await expect(old.decode([{ ...encrypted, data: touched }])).rejects.toThrow('was changed')
  }
  await expect(old.decode([{ ...encrypted, data: bytes.subarray(0, 27) }])).rejects.toThrow('cut short')
})

test('a key of another length is refused before anything is encrypted', () => {
  expect(() => createPayloadCodec(`${OLD},${Buffer.alloc(16).toString('base64')}`)).toThrow(/32 bytes/)
})
