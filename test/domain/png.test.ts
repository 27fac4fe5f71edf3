// Which PNG files are whole: made by an encoder of another package, and broken in every way that a renderer would stumble over.
import { deflateSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { toBuffer } from 'qrcode'
import { isWholePng } from '../../commands/organizations/png.ts'
import { chunk, png } from '../fixtures/pictures.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

interface Made {
  width?: number
  height?: number
  depth?: number
  colour?: number
  interlace?: number
  pixels?: Buffer
  idat?: Buffer
  before?: Buffer[]
  after?: Buffer
}

function made({ width = 3, height = 3, depth = 8, colour = 0, interlace = 0, pixels = Buffer.alloc(12), idat = deflateSync(pixels), before = [], after = Buffer.alloc(0) }: Made): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([depth, colour, 0, 0, interlace], 8)
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), ...before, chunk('IDAT', idat), chunk('IEND', Buffer.alloc(0)), after])
}

describe('a PNG is whole', () => {
  test('of an encoder', async () => expect(isWholePng(await toBuffer('whole', { type: 'png' }))).toBe(true))
  test('of the tests', () => expect(isWholePng(png(40, 30))).toBe(true))

  // Rows of 3 pixels, each with a byte for its filter.
  test.each<[string, Made]>([
    ['in grey', {}],
    ['in grey of one bit', { depth: 1, pixels: Buffer.alloc(3 * 2) }],
    ['in colours', { colour: 2, pixels: Buffer.alloc(3 * 10) }],
    ['in colours of 16 bits, transparent', { colour: 6, depth: 16, pixels: Buffer.alloc(3 * 25) }],
    ['with a palette', { colour: 3, before: [chunk('PLTE', Buffer.alloc(6))] }],
    // Adam7, 3 by 3: passes of 1, 0, 0, 1, 2, 3 and 3 pixels in 1, 0, 0, 1, 1, 2 and 1 rows.
    ['interlaced', { interlace: 1, pixels: Buffer.alloc(9 + 6) }],
    ['with a text', { before: [chunk('tEXt', Buffer.from('Title\0Asha'))] }],
  ])('%s', (_what, shape) => expect(isWholePng(made(shape))).toBe(true))
})

describe('a PNG is not whole', () => {
  test.each<[string, Made]>([
    ['whose pixels are no compressed data', { idat: Buffer.from('garbage') }],
    ['with too few pixels', { pixels: Buffer.alloc(11) }],
    ['with too many', { pixels: Buffer.alloc(13) }],
    ['that unpacks to far more than its size', { pixels: Buffer.alloc(50_000_000) }],
    ['of no such type of colour', { colour: 9 }],
    ['of a depth that its colours do not have', { colour: 2, depth: 4 }],
    ['without its palette', { colour: 3 }],
    ['of no such interlacing', { interlace: 2 }],
    ['with something behind its end', { after: Buffer.from('<script>') }],
    ['with thousands of texts', { before: Array.from({ length: 4000 }, () => chunk('tEXt', Buffer.from('a\0b'))) }],
    ['with a large packed text', { before: [chunk('zTXt', Buffer.alloc(100_000))] }],
  ])('%s', (_what, shape) => expect(isWholePng(made(shape))).toBe(false))
})
