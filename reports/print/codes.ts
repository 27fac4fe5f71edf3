// Draws the QR codes that documents print, so that LibreOffice puts them into the file as they are.
import { crc32, deflateSync } from 'node:zlib'
import { create, type BitMatrix } from 'qrcode'
import type { PictureName } from '../../domain/print/printed-document.ts'

export type CodeName = Exclude<PictureName, 'logo'>

// LibreOffice scales a picture of more than 300 pixels an inch down and stores it as JPEG, which blurs a code. So none has more
// pixels than that in the smallest frame of its name: 36 and 21 millimetres.
const MOST_PIXELS: Record<CodeName, number> = { 'signed-qr': 425, 'upi-qr': 248 }
// The white around a code that readers ask for, in modules.
const MARGIN = 4

/** A code as PNG. One of medium correction is still read where a seventh of it is stained. */
export function drawnCode(name: CodeName, text: string): Buffer {
  // All as bytes: to look for the shortest mixture of modes takes longer than everything else, and saves next to nothing.
  const { modules } = create([{ data: Buffer.from(text), mode: 'byte' }], { errorCorrectionLevel: 'M' })
  return pngOf(modules, Math.max(1, Math.floor(MOST_PIXELS[name] / (modules.size + 2 * MARGIN))))
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const [BLACK_AND_WHITE, GREY] = [1, 0]

/** A picture of one bit for each pixel, of `scale` pixels for each module. */
function pngOf(modules: BitMatrix, scale: number): Buffer {
  const pixels = (modules.size + 2 * MARGIN) * scale
  const bytes = Math.ceil(pixels / 8)
  const rows = Array.from({ length: modules.size + 2 * MARGIN }, (_, y) => rowOf(modules, y - MARGIN, { scale, bytes }))
  const head = Buffer.alloc(13)
  head.writeUInt32BE(pixels, 0)
  head.writeUInt32BE(pixels, 4)
  head.set([BLACK_AND_WHITE, GREY], 8)
  const image = deflateSync(Buffer.concat(rows.flatMap((row) => Array<Buffer>(scale).fill(row))))
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', image), chunk('IEND', Buffer.alloc(0))])
}

// The first byte says that the row is not filtered. A bit that is set is white.
function rowOf(modules: BitMatrix, y: number, { scale, bytes }: { scale: number; bytes: number }): Buffer {
  const row = Buffer.alloc(1 + bytes, 0xff)
  row[0] = 0
  for (let x = 0; y >= 0 && y < modules.size && x < modules.size; x += 1) {
    if (!modules.get(y, x)) continue
    const from = (x + MARGIN) * scale
    for (let at = from; at < from + scale; at += 1) row[1 + (at >> 3)]! &= ~(0x80 >> (at & 7))
  }
  return row
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
