// Checks a logo before it is kept: what its bytes are, how large, and whether the file is whole.
import { createHash } from 'node:crypto'
import { fileTypeFromBuffer } from 'file-type'
import { imageSize } from 'image-size'
import { fault } from '../../domain/faults.ts'
import type { LogoFacts } from '../../domain/preferences.ts'
import { isWholePng } from './png.ts'

export interface CheckedLogo extends LogoFacts {
  content: Buffer
}

const MAX_LOGO_BYTES = 2 ** 20
const MAX_PIXELS = 4_000_000
const FORM = /^data:(image\/(?:png|jpeg));base64,/
/**
 * The logo of a data URL. The picture is taken for what its bytes say, and must be what the URL says.
 * Throws validation.invalid_value for anything but a whole PNG or JPEG file, without animation, of at most 1 MB and 4 megapixels.
 */
export async function checkedLogo(url: string): Promise<CheckedLogo> {
  const form = FORM.exec(url.slice(0, 40))
  const encoded = form ? url.slice(form[0].length) : ''
  const content = Buffer.from(encoded, 'base64')
  if (!form || content.toString('base64') !== encoded)
    throw refused('must be data:image/png;base64,... or data:image/jpeg;base64,...')
  if (content.length > MAX_LOGO_BYTES) throw refused('must have at most 1 MB')
  const type = await fileTypeFromBuffer(content).catch(() => undefined)
  if (type?.mime === 'image/apng') throw refused('must not be animated')
  if (type === undefined || type.mime !== form[1]) throw refused(`is no ${form[1]} by its content`)
  const { width, height } = sizeOf(content)
  if (width * height > MAX_PIXELS) throw refused(`must have at most 4 megapixels; it is ${width} by ${height}`)
  if (!(type.mime === 'image/png' ? isWholePng(content) : isWholeJpeg(content))) throw refused('is damaged')
  const sha256 = createHash('sha256').update(content).digest('hex')
  return { media_type: type.mime as LogoFacts['media_type'], width, height, sha256, content }
}

function sizeOf(content: Buffer): { width: number; height: number } {
  try {
    const { width, height } = imageSize(content)
    if (width > 0 && height > 0) return { width, height }
  } catch {
    // The library throws where it finds no size.
  }
  throw refused('is damaged')
}

const END_OF_IMAGE = Buffer.from([0xff, 0xd9])

const SCAN = Buffer.from([0xff, 0xda])
// A picture that is refined step by step has about ten; each costs the decoder a pass over all pixels, however short it is.
const MAX_SCANS = 100

function isWholeJpeg(content: Buffer): boolean {
  let scans = 0
  for (let at = content.indexOf(SCAN); at !== -1 && scans <= MAX_SCANS; at = content.indexOf(SCAN, at + 2)) scans += 1
  return scans > 0 && scans <= MAX_SCANS && content.lastIndexOf(END_OF_IMAGE) > 2
}

const refused = (problem: string) =>
  fault('validation.invalid_value', { field: 'pdf.logo', message: `pdf.logo ${problem}.` })
