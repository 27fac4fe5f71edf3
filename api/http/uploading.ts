// Handles a call that uploads a file: claims its idempotency key, keeps the file while it arrives, then writes in one transaction.
import { createHash } from 'node:crypto'
import type { Books } from '../../commands/books/books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import { openBooks } from '../../commands/books/open-books.ts'
import { Fault, fault } from '../../domain/faults.ts'
import { claimOf, releaseClaim, type LeasedClaim } from '../../models/idempotency.ts'
import { CallerChanged } from '../../models/token.ts'
import { refusal, success, type Reply } from './envelope.ts'
import { claim, keyHolderOf, keyOf, leaseClaim, NotClaimed, remember, UNREAD, type KeyedCall } from './idempotency.ts'
import type { IncomingCall } from './incoming-call.ts'
import { readForm, type ArrivingFile, type ReadForm } from './multipart.ts'
import { validationFailed } from './problems.ts'
import type { KeptUpload, Route, UploadHandler } from './route.ts'
import type { ServerContext } from './server-context.ts'
import { inPlace, inTurnToWrite, ownerOf } from './concurrency-shares.ts'
import { problemsIn } from './validate.ts'
import { findUnstorable } from './storable.ts'
import { requestContextOf } from './writing.ts'

/** An upload under way. */
interface Upload {
  server: ServerContext
  route: Route
  handler: UploadHandler
  caller: Caller
  sent: IncomingCall
}

/** A key that this call has claimed. */
interface Claimed {
  call: KeyedCall
  lease: LeasedClaim
}

/** Answers a call that uploads a file. The connection to PostgreSQL is taken only before and after the file arrives. */
export async function answerUpload(
  server: ServerContext,
  route: Route,
  caller: Caller,
  sent: IncomingCall,
): Promise<Reply> {
  const key = keyOf(route, sent.request)
  const upload: Upload = { server, route, handler: route.upload!, caller, sent }
  const release = await server.shares.uploads.take(ownerOf(caller))
  try {
    if (key === null) return await carryOut(upload, null)
    const subject = keyHolderOf(caller)
    const secret = route.secretAnswer === true
    return await once(upload, { subject, method: route.method, path: sent.path, key, bodyHash: UNREAD, secret })
  } finally {
    release()
  }
}

async function once(upload: Upload, call: KeyedCall): Promise<Reply> {
  const { server, caller } = upload
  let lease: LeasedClaim
  try {
    lease = await inTurnToWrite(server, caller, () =>
      openBooks(server.writeContext, caller, async (books) => {
        claim(books, call, server.sealer)
        await books.connection.checked()
        return leaseClaim(books, call, books.newId())
      }),
    )
  } catch (error) {
    if (error instanceof NotClaimed) return replay(upload, call, error)
    throw error
  }
  const claimed = { call, lease }
  try {
    return await carryOut(upload, claimed)
  } catch (error) {
    if (isFinal(error)) return await rememberRefusal(upload, claimed, error)
    // A claim that cannot be released expires after a minute.
    await releaseClaim(server.writeContext.database, lease, server.writeContext.clock()).catch(() => undefined)
    throw error
  }
}

// A refusal of what was sent is stored under the key; that it was cut off, or that a part of the service is away, is not.
const isFinal = (error: unknown): error is Fault =>
  error instanceof Fault && error.status < 500 && !NOT_FINAL.has(error.code)
const NOT_FINAL = new Set(['request.timeout', 'request.malformed', 'idempotency.in_progress'])

/** Answers with the stored answer. The form is read, so that the caller is told if it is another one, and kept nowhere. */
async function replay(upload: Upload, call: KeyedCall, { answer }: NotClaimed): Promise<Reply> {
  // Throws where the first call is still under way.
  answer()
  const { fields, kept } = await readForm(
    upload.sent.request,
    upload.handler.maxBytes(upload.server.gateways),
    hashed,
  ).catch(() => ({ fields: {}, kept: null }))
  if (kept) call.bodyHash = formHashOf(fields, kept)
  return answer()
}

async function hashed({ filename, body }: ArrivingFile): Promise<{ filename: string; sha256: string }> {
  const hash = createHash('sha256')
  for await (const chunk of body as AsyncIterable<Buffer>) hash.update(chunk)
  return { filename, sha256: hash.digest('hex') }
}

async function carryOut(upload: Upload, claimed: Claimed | null): Promise<Reply> {
  const { server, handler, caller, sent } = upload
  const { gateways } = server
  const context = () => requestContextOf(server, caller, server.writeContext.clock())
  await inPlace(server, caller, () => handler.admit(context()))
  let filename = ''
  let kept: KeptUpload | null = null
  const keep = async (file: ArrivingFile) => {
    filename = file.filename
    kept = await handler.keep(context(), file)
    return kept
  }
  try {
    const form = await readForm(sent.request, handler.maxBytes(gateways), keep)
    const file = fileOf(form)
    if (claimed) claimed.call.bodyHash = formHashOf(form.fields, { filename, sha256: file.sha256 })
    refuseProblems(upload.route, form.fields)
    return await inTurnToWrite(server, caller, () => write(upload, claimed, form.fields, file))
  } catch (error) {
    // After any other error it may have been written after all; what nobody needs, the nightly sweep finds.
    const isRefused = error instanceof CallerChanged || (error instanceof Fault && error.status < 500)
    if (kept && isRefused) await handler.drop(context(), kept)
    throw error instanceof CallerChanged ? changed(error) : error
  }
}

const changed = (cause: CallerChanged) =>
  fault('service.unavailable', { message: 'The organisation is being changed; try again.', retryAfter: 1, cause })

function fileOf({ kept }: ReadForm<KeptUpload>): KeptUpload {
  if (kept) return kept
  throw validationFailed([
    { field: 'file', code: 'required', message: 'must be sent as a part with a file name, of one line' },
  ])
}

function refuseProblems({ form }: Route, fields: Record<string, string>): void {
  const problems = [...findUnstorable(fields), ...problemsIn(form!, fields)]
  if (problems.length > 0) throw validationFailed(problems)
}

async function write(
  { server, route, handler, caller }: Upload,
  claimed: Claimed | null,
  fields: Record<string, string>,
  file: KeptUpload,
): Promise<Reply> {
  return openBooks(server.writeContext, caller, async (books) => {
    if (claimed) requireLease(books, claimed)
    const reply = success(route.status ?? 200, await handler.write(books, { fields, file }, server.gateways))
    if (claimed) remember(books, claimed.call, reply, server.sealer)
    return reply
  })
}

async function rememberRefusal({ server, caller }: Upload, claimed: Claimed, error: Fault): Promise<Reply> {
  const reply = refusal(error, caller.origin.request_id ?? '')
  await inTurnToWrite(server, caller, () =>
    openBooks(server.writeContext, caller, async (books) => {
      requireLease(books, claimed)
      remember(books, claimed.call, reply, server.sealer)
    }),
  )
  return reply
}

/** Makes the transaction require that the claim of its key is still the one of this call, and no other call can take it. */
function requireLease(books: Books, { call, lease }: Claimed): void {
  books.connection.require(
    claimOf(call, lease.until, (found) => {
      if (found.state !== 'ours') throw fault('idempotency.in_progress', { retryAfter: 1 })
    }),
  )
}

// It does not depend on the boundary of the form or the order of its fields.
function formHashOf(fields: Record<string, string>, file: { filename: string; sha256: string } | null): string {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([sorted, file && [file.filename, file.sha256]]))
    .digest('hex')
}
