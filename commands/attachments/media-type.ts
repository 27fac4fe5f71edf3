// Finds the type of a file by its content, whatever its name and its sender say.
import { fileTypeFromBuffer } from 'file-type'

/** The media type of a file that begins with these bytes; `filename` only tells kinds of text apart. */
export async function mediaTypeOf(head: Buffer, filename: string): Promise<string> {
  // A file that is cut or crafted may look like a format to its parser until the bytes run out.
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  if (found) return found.mime
  if (!isText(head)) return 'application/octet-stream'
  return /\.csv$/i.test(filename) ? 'text/csv' : 'text/plain'
}

// Of the control characters text has tabs, line feeds, form feeds, carriage returns and escapes.
const isUnprintable = (byte: number) => byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b)

function isText(head: Buffer): boolean {
  if (head.some(isUnprintable)) return false
  try {
    // A character may be cut at the end, which a streaming decoder does not mind.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}
