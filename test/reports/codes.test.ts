// The pictures of QR codes: every module where the code has it, white around it, and no larger than its frame.
import { inflateSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { imageSize } from 'image-size'
import { create } from 'qrcode'
import { drawnCode, type CodeName } from '../../reports/print/codes.ts'

/** The pixels of a picture of one bit each, true where they are black. */
function pixelsOf(png: Buffer): boolean[][] {
  const { width } = imageSize(png)
  const from = png.indexOf('IDAT')
  const rows = inflateSync(png.subarray(from + 4, from + 4 + png.readUInt32BE(from - 4)))
  const bytes = 1 + Math.ceil(width / 8)
  return Array.from({ length: width }, (_, y) => Array.from({ length: width }, (_, x) => (rows[y * bytes + 1 + (x >> 3)]! & (0x80 >> (x & 7))) === 0))
}

test.each<[string, CodeName, string, number]>([
  ['a signed token of 1,000 characters', 'signed-qr', 'eyJhbGciOiJSUzI1NiJ9.'.repeat(48), 425],
  ['a link to pay', 'upi-qr', 'upi://pay?pa=asha@example&pn=Asha%20Traders&am=1180.00&cu=INR&tn=INV-1', 248],
  ['a text of one letter', 'upi-qr', 'a', 248],
  ['a text of Indian letters', 'upi-qr', 'श्री बालाजी', 248],
])('%s', (_, name, text, most) => {
  const png = drawnCode(name, text)
  const pixels = pixelsOf(png)
  const { modules } = create([{ data: Buffer.from(text), mode: 'byte' }], { errorCorrectionLevel: 'M' })
  const scale = pixels.length / (modules.size + 8)
  expect([Number.isInteger(scale), pixels.length <= most, pixels.length > most / 2]).toEqual([true, true, true])
  const drawn = pixels.map((row, y) => row.map((_, x) => {
    const [line, column] = [Math.floor(y / scale) - 4, Math.floor(x / scale) - 4]
    const isInside = Math.min(line, column) >= 0 && Math.max(line, column) < modules.size
    return isInside && modules.get(line, column) === 1
  }))
  expect(pixels).toEqual(drawn)
})
