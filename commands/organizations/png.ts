// Whether a PNG file is whole, by its chunks, their checksums and the length of its pixels (W3C PNG specification).
import { crc32, inflateSync } from 'node:zlib'

const SIGNATURE_BYTES = 8
/** Length, type and checksum of a chunk. */
const CHUNK_BYTES = 12
/** Chunks beside the picture, such as its colour profile; a file has a few. */
const MAX_OTHER_CHUNKS = 50
/** Of those that a reader may unpack. */
const MAX_PACKED_BYTES = 64 * 1024
const PACKED = ['zTXt', 'iTXt', 'iCCP']

/** The samples of a pixel by the type of colour, and how many bits each may have. */
const COLOURS: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
}
const PALETTE = 3
/** The passes of an interlaced picture: where each begins, and its steps (Adam7). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

interface Head {
  width: number
  height: number
  depth: number
  samples: number
  isInterlaced: boolean
  hasPalette: boolean
}

/**
 * True for a file without animation whose chunks are all there, up to an end with nothing behind it, and whose pixels unpack to
 * exactly as many bytes as its size says. `content` begins with the signature of a PNG; at most 4 megapixels are unpacked here.
 */
export function isWholePng(content: Buffer): boolean {
  const chunks = chunksOf(content)
  if (chunks === null || chunks[0]?.kind !== 'IHDR' || chunks.at(-1)?.kind !== 'IEND') return false
  const kinds = chunks.map(({ kind }) => kind)
  if (kinds.indexOf('IHDR', 1) !== -1 || kinds.indexOf('IEND') !== kinds.length - 1) return false
  if (kinds.filter((kind) => kind !== 'IDAT').length > MAX_OTHER_CHUNKS) return false
  if (chunks.some(({ kind, data }) => PACKED.includes(kind) && data.length > MAX_PACKED_BYTES)) return false
  const head = headOf(chunks[0].data)
  if (head === null || (head.hasPalette && !kinds.includes('PLTE'))) return false
  return hasAllPixels(
    head,
    chunks.filter(({ kind }) => kind === 'IDAT').map(({ data }) => data),
  )
}

interface Chunk {
  kind: string
  data: Buffer
}

function chunksOf(content: Buffer): Chunk[] | null {
  const chunks: Chunk[] = []
  let at = SIGNATURE_BYTES
  while (at + CHUNK_BYTES <= content.length) {
    const end = at + CHUNK_BYTES + content.readUInt32BE(at)
    if (end > content.length || crc32(content.subarray(at + 4, end - 4)) !== content.readUInt32BE(end - 4)) return null
    const kind = content.toString('latin1', at + 4, at + 8)
    if (kind === 'acTL' || kind === 'fcTL' || kind === 'fdAT') return null
    chunks.push({ kind, data: content.subarray(at + 8, end - 4) })
    at = end
  }
  return at === content.length ? chunks : null
}

function headOf(data: Buffer): Head | null {
  if (data.length !== 13) return null
  const [depth, colour, compression, filter, interlace] = data.subarray(8)
  const known = COLOURS[colour!]
  if (!known?.depths.includes(depth!) || compression !== 0 || filter !== 0 || interlace! > 1) return null
  return {
    width: data.readUInt32BE(0),
    height: data.readUInt32BE(4),
    depth: depth!,
    samples: known.samples,
    isInterlaced: interlace === 1,
    hasPalette: colour === PALETTE,
  }
}

function hasAllPixels(head: Head, packed: Buffer[]): boolean {
  const expected = unpackedBytes(head)
  try {
    // One byte more than expected shows that there are more, without unpacking them.
    return inflateSync(Buffer.concat(packed), { maxOutputLength: expected + 1 }).length === expected
  } catch {
    return false
  }
}

function unpackedBytes({ width, height, depth, samples, isInterlaced }: Head): number {
  // Each row begins with a byte for its filter.
  const bytesOf = (columns: number, rows: number) =>
    columns === 0 || rows === 0 ? 0 : rows * (1 + Math.ceil((columns * samples * depth) / 8))
  if (!isInterlaced) return bytesOf(width, height)
  return PASSES.reduce(
    (sum, [left, top, across, down]) =>
      sum + bytesOf(Math.ceil((width - left) / across), Math.ceil((height - top) / down)),
    0,
  )
}
