// The frames of a flat OpenDocument that hold pictures: taken out of the text, and filled by name.
import { imageSize } from 'image-size'

export interface PictureFrame {
  name: string
  xml: string
}

const FRAME =
  /<draw:frame\b[^>]*>(?:(?!<draw:frame\b|<\/draw:frame>)[\s\S])*?<office:binary-data>(?:(?!<draw:frame\b|<\/draw:frame>)[\s\S])*<\/draw:frame>/g
const MIME_TYPES: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg' }

const attribute = (xml: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(xml)?.[1] ?? null

/** The document with `place(n)` where its n-th frame with a picture was, because an engine need not read megabytes of base64. */
export function extractFrames(xml: string, place: (index: number) => string): { xml: string; frames: PictureFrame[] } {
  const frames: PictureFrame[] = []
  const rest = xml.replace(FRAME, (frame) =>
    place(frames.push({ name: attribute(frame, 'draw:name') ?? '', xml: frame }) - 1),
  )
  return { xml: rest, frames }
}

const length = (text: string | null): { value: number; unit: string } | null => {
  const [, value, unit] = /^([0-9.]+)(cm|mm|in|pt|pc)$/.exec(text ?? '') ?? []
  return value && unit && Number(value) > 0 ? { value: Number(value), unit } : null
}

/** The frame with another picture, as large as fits into the frame and of the picture's own proportions. Throws where it is no PNG or JPEG. */
export function filledFrame({ name, xml }: PictureFrame, picture: Buffer): string {
  const { width, height, type } = imageSize(picture)
  const mimeType = MIME_TYPES[type ?? '']
  if (!mimeType || !(width > 0) || !(height > 0)) throw new Error(`the picture ${name} is neither PNG nor JPEG`)
  const boxWidth = length(attribute(xml, 'svg:width'))
  const boxHeight = length(attribute(xml, 'svg:height'))
  if (!boxWidth || !boxHeight || boxWidth.unit !== boxHeight.unit)
    throw new Error(`the frame ${name} has no width and height in one unit`)
  const scale = Math.min(boxWidth.value / width, boxHeight.value / height)
  const size = (pixels: number) => `${(pixels * scale).toFixed(3)}${boxWidth.unit}`
  return xml
    .replace(/ svg:width="[^"]*"/, ` svg:width="${size(width)}"`)
    .replace(/ svg:height="[^"]*"/, ` svg:height="${size(height)}"`)
    .replace(/ style:rel-(?:width|height)="[^"]*"/g, '')
    .replace(/(<draw:image\b[^>]*?)(?: (?:draw|loext):mime-type="[^"]*")/, `$1 draw:mime-type="${mimeType}"`)
    .replace(
      /<office:binary-data>[^<]*<\/office:binary-data>/,
      () => `<office:binary-data>${picture.toString('base64')}</office:binary-data>`,
    )
}
