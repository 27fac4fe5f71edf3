// Draws the QR codes that documents print, so that LibreOffice puts them into the file as they are.
import { create, toBuffer } from 'qrcode'
import type { PictureName } from '../../domain/print/printed-document.ts'

export type CodeName = Exclude<PictureName, 'logo'>

// LibreOffice scales a picture of more than 300 pixels an inch down and stores it as JPEG, which blurs a code. So none has more
// pixels than that in the smallest frame of its name: 36 and 21 millimetres.
const MOST_PIXELS: Record<CodeName, number> = { 'signed-qr': 425, 'upi-qr': 248 }
// The white around a code that readers ask for, in modules.
const MARGIN = 4

/** A code as PNG. One of medium correction is still read where a seventh of it is stained. */
export async function drawnCode(name: CodeName, text: string): Promise<Buffer> {
  const errorCorrectionLevel = 'M'
  const modules = create(text, { errorCorrectionLevel }).modules.size + 2 * MARGIN
  const scale = Math.max(1, Math.floor(MOST_PIXELS[name] / modules))
  return toBuffer(text, { type: 'png', errorCorrectionLevel, margin: MARGIN, scale })
}
