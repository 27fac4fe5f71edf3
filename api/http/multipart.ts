// Reads a multipart form with one file, which is handed on while it arrives and never held whole.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as breathe } from 'node:timers/promises'
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { fault, type Fault } from '../../domain/faults.ts'
import { receiveChunks, unless, UPLOAD_MS } from './arrival.ts'
import { validationFailed } from './problems.ts'

/** The name of the field of the file. */
const FILE = 'file'
/** What a form may have beside the content of its file. */
const OVERHEAD_BYTES = 2 ** 20
const MOST = { fields: 20, files: 3, parts: 24, fieldSize: 16_384, headerPairs: 20, headerSize: 16_384 }
/** The file of a form while it arrives; `body` fails if the file is too large, or ends early. */
export interface ArrivingFile {
  filename: string
  body: Readable
}

/** The fields of a form, and what was made of its file; null where the form has none. */
export interface ReadForm<Kept> {
  fields: Record<string, string>
  kept: Kept | null
}

/**
 * Reads a form. `keep` is called when its file begins and must read it to its end. After a refusal the rest of the form is read
 * all the same, up to its limits, so that the caller is there for the answer. Throws request.unsupported_media_type,
 * request.malformed, request.timeout, validation.failed, the error of `keep`, and the 413 of a file above `maxBytes`.
 */
export async function readForm<Kept>(
  request: IncomingMessage,
  maxBytes: number,
  keep: (file: ArrivingFile) => Promise<Kept>,
): Promise<ReadForm<Kept>> {
  // Twice as much is still read, so that the answer can say how much it was.
  const most = 2 * maxBytes + OVERHEAD_BYTES
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > most) throw tooLarge(maxBytes, announced)
  const form = new Form(request, maxBytes, keep)
  try {
    await form.read(most)
  } catch (error) {
    await form.abandon(error as Error)
    throw error
  }
  return form.result()
}

class Form<Kept> {
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  readonly #keep: (file: ArrivingFile) => Promise<Kept>
  readonly #parser: BusboyInstance
  readonly #fields = new Map<string, string>()
  #problem: Error | null = null
  /** Set where the parser can read no more. */
  #isBroken = false
  #file: BusboyFileStream | null = null
  #fileBytes = 0
  #keeping: Promise<Kept | null> = Promise.resolve(null)

  constructor(request: IncomingMessage, maxBytes: number, keep: (file: ArrivingFile) => Promise<Kept>) {
    this.#request = request
    this.#maxBytes = maxBytes
    this.#keep = keep
    this.#parser = parserOf(request)
    this.#parser.on('field', (name, value, _cut, _valueCut, _encoding, type) => this.#addField(name, value, type))
    this.#parser.on('file', (name, stream, filename, encoding, type) => {
      this.#addFile(name, stream, { filename: filename ?? '', encoding, type })
    })
    for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
      this.#parser.on(limit, () => this.#refuse(tooMany()))
    this.#parser.on('error', () => this.#break())
  }

  async read(most: number): Promise<void> {
    const late = new AbortController()
    const whole = setTimeout(() => late.abort(), UPLOAD_MS)
    try {
      let received = 0
      await receiveChunks(this.#request, late.signal, (chunk) => {
        received += chunk.length
        if (received > most) throw tooLarge(this.#maxBytes, this.#fileBytes)
        return this.#isBroken || this.#write(chunk) ? null : this.#drained()
      })
      await unless(late.signal, this.#finished())
      await unless(late.signal, this.#keeping)
    } finally {
      clearTimeout(whole)
    }
  }

  /** Ends the file, so that whoever keeps it stops. */
  async abandon(reason: Error): Promise<void> {
    this.#problem ??= reason
    this.#file?.destroy(reason)
    await this.#keeping.catch(() => undefined)
  }

  async result(): Promise<ReadForm<Kept>> {
    const kept = await this.#keeping
    if (this.#problem) throw this.#problem
    return { fields: Object.fromEntries(this.#fields), kept }
  }

  #refuse(problem: Error): void {
    this.#problem ??= problem
  }

  #break(): void {
    this.#isBroken = true
    this.#refuse(malformed('The multipart body is malformed or ends early.'))
    this.#file?.destroy(this.#problem!)
  }

  #write(chunk: Buffer): boolean {
    try {
      return this.#parser.write(chunk)
    } catch {
      this.#break()
      return true
    }
  }

  // The parser takes more when the file was read, or when it can read no more.
  async #drained(): Promise<void> {
    while (!this.#isBroken && this.#parser.writableNeedDrain) {
      const over = new AbortController()
      const events = ['drain', 'error', 'finish', 'close'].map((name) => once(this.#parser, name, over))
      await Promise.race(events).catch(() => undefined)
      over.abort()
      await Promise.allSettled(events)
    }
  }

  async #finished(): Promise<void> {
    if (this.#isBroken) return
    const finished = once(this.#parser, 'finish').catch(() => undefined)
    this.#parser.end()
    await finished
    // An early end is told to the file first.
    await breathe()
  }

  #addField(name: string, value: string, type: string): void {
    if (isNested(type)) this.#refuse(malformed('A part of the form must not be multipart itself.'))
    else if (this.#fields.has(name)) this.#refuse(problemOf(name, 'repeated', 'must be sent once'))
    // Never a prototype: the fields become an object.
    else if (name !== '__proto__') this.#fields.set(name, value)
  }

  #addFile(name: string, stream: BusboyFileStream, about: { filename: string; encoding: string; type: string }): void {
    stream.on('error', () => undefined)
    const problem = this.#problemOf(name, about)
    if (problem) this.#refuse(problem)
    // A file of an unknown field is as any other unknown field.
    if (problem || name !== FILE || this.#problem) return void stream.resume()
    this.#file = stream
    this.#keeping = this.#keepFile(stream, about.filename).catch((error: Error) => {
      this.#refuse(error)
      return null
    })
  }

  #problemOf(name: string, { encoding, type }: { encoding: string; type: string }): Fault | null {
    if (isNested(type)) return malformed('A part of the form must not be multipart itself.')
    if (name !== FILE) return null
    if (this.#file) return problemOf(FILE, 'repeated', 'must be sent once')
    if (!['7bit', '8bit', 'binary'].includes(encoding)) return malformed('The file must not be encoded for transfer.')
    return null
  }

  async #keepFile(stream: BusboyFileStream, filename: string): Promise<Kept> {
    const body = new Readable({ read: () => void stream.resume() })
    // Whoever keeps the file gets the error while reading.
    body.on('error', () => undefined)
    stream.on('data', (chunk: Buffer) => {
      this.#fileBytes += chunk.length
      if (this.#fileBytes > this.#maxBytes) body.destroy(tooLarge(this.#maxBytes, this.#fileBytes))
      else if (!body.destroyed && !body.push(chunk)) stream.pause()
    })
    stream.on('error', (error) => body.destroy(error))
    const ended = new Promise<void>((resolve) => void stream.once('close', resolve).once('end', resolve))
    stream.once('end', () => body.push(null))
    try {
      return await this.#keep({ filename, body })
    } catch (error) {
      // The rest is read and left.
      body.destroy()
      stream.resume()
      if (this.#fileBytes <= this.#maxBytes) throw error
      await ended
      throw tooLarge(this.#maxBytes, this.#fileBytes)
    }
  }
}

function parserOf({ headers }: IncomingMessage): BusboyInstance {
  const type = headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) {
    throw fault('request.unsupported_media_type', { message: 'The body must be sent as multipart/form-data.' })
  }
  const parser = made({ ...headers, 'content-type': type })
  if (parser) return parser
  throw malformed('The Content-Type multipart/form-data must name a boundary.')
}

function made(headers: IncomingMessage['headers']): BusboyInstance | null {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: MOST, preservePath: true })
  } catch {
    return null
  }
}

const isNested = (type: string) => /^multipart\//i.test(type)

const malformed = (message: string) => fault('request.malformed', { message })
const tooMany = () => problemOf('', 'too_many', `must not have more than ${MOST.fields} fields and one file`)
const problemOf = (field: string, code: string, message: string) => validationFailed([{ field, code, message }])

/** The refusal of a file that is too large (specification, "Errors"). */
const tooLarge = (maxBytes: number, receivedBytes: number) =>
  fault('validation.invalid_value', {
    status: 413,
    field: FILE,
    message: `The file is larger than ${maxBytes} bytes.`,
    details: { max_bytes: maxBytes, received_bytes: receivedBytes },
  })
