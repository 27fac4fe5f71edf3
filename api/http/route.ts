// The declaration of a route, which the server, the OpenAPI document, the contract tests and the docs read.
import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { ArrivingFile } from './multipart.ts'
import type { Books } from '../../commands/books/books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import type { FieldProblem } from '../../domain/faults.ts'
import type { PersonalNeed, ScopeNeed } from '../../domain/scopes.ts'
import type { Database } from '../../models/database.ts'
import type { Scope } from '../../models/find.ts'
import type { Gateways } from './gateways.ts'
import type { RowCache } from './row-cache.ts'

/** The headers of an answer, beside those that every answer has. */
export const HEADERS: unique symbol = Symbol('headers')

/** The result of a handler: the resource under its key, and optionally a message and headers. */
export type Answer = { message?: string; [HEADERS]?: Record<string, string> } & Record<string, unknown>

/**
 * A streamed answer, for lists that are too long to be held in memory: the answer, whose last list is empty, and the rows
 * of that list in portions. The portions are requested one by one, at the reader's pace.
 */
export interface Streamed {
  answer: Answer
  rows: AsyncIterable<unknown[]>
}

/**
 * An answer with a list whose rows may be large: the rows are rendered in portions, and sent at the reader's pace if they
 * are too large to be held in memory.
 */
export interface Listed<Row = unknown> {
  /** With an empty list under `key`. */
  answer: Answer
  key: string
  rows: Row[]
  /** How many of the first rows are read already, with all that they are shown with: they are shown at once. */
  ready?: number
  show(rows: Row[]): unknown[] | Promise<unknown[]>
}

/** An answer that is a file, with its Content-Type and Content-Length, or without content a redirection to its Location. */
export interface FileAnswer {
  headers: Record<string, string>
  content: Buffer | Readable | null
}

/** A file as the database knows it, before it is read. */
export interface FoundFile {
  /** Its ETag: a caller that sends it back in If-None-Match has the file. Null where that is not asked. */
  tag: string | null
  /** The headers for such a caller. */
  headers: Record<string, string>
  /** Holds no database connection. `over` is aborted when the caller has gone. */
  get(over: AbortSignal): Promise<FileAnswer>
}

export interface Input<Query extends TObject, Body extends TSchema> {
  params: Record<string, string>
  query: Static<Query>
  body: Static<Body>
}

/** The context of a read: the connection pool, the organisation of the caller, and the gateways. */
export interface RequestContext extends Scope {
  database: Database
  caller: Caller
  now: Date
  gateways: Gateways
  rowCache: RowCache
}

/** The id under which a call stores its request for a workflow. A repeat of the idempotency key gets the same id. */
export interface WorkflowRequest {
  id: string
  isNew: boolean
}

/** The answer to a call whose work goes on after it: 202 instead of the usual status. */
export class Accepted {
  readonly answer: Answer

  constructor(answer: Answer) {
    this.answer = answer
  }
}

/** An answer with a list of many rows: the list under `key` is empty, and gets the rows of `texts`, which are JSON already. */
export class InPortions {
  readonly answer: Answer
  readonly key: string
  readonly texts: AsyncIterable<string>

  constructor(answer: Answer, key: string, texts: AsyncIterable<string>) {
    this.answer = answer
    this.key = key
    this.texts = texts
  }
}

/** The second part of a call that starts a workflow: waits for the workflow, and reads its result. */
export type WorkflowAnswer = (context: RequestContext) => Promise<Answer | Accepted | InPortions>

/** A file that is kept, before anything is written about it. */
export interface KeptUpload {
  sha256: string
}

/** A call that takes one file in a multipart form, under the name `file`. */
export interface UploadHandler<Kept extends KeptUpload = KeptUpload> {
  maxBytes(gateways: Gateways): number
  /** Refuses the call before the file is read. */
  admit(context: RequestContext): Promise<void>
  /** Keeps the file while it arrives; throws what its body throws. */
  keep(context: RequestContext, file: ArrivingFile): Promise<Kept>
  /** Drops a kept file of a call that is refused. Must not throw. */
  drop(context: RequestContext, file: Kept): Promise<void>
  write(books: Books, input: { fields: Record<string, string>; file: Kept }, gateways: Gateways): Promise<Answer>
}

interface Declaration<Query extends TObject, Body extends TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below /api/public/v1, or /internal/v1 where persons call it, with {parameters}. */
  path: string
  /** The name of the resource in the OpenAPI document and in the docs. */
  tag: string
  does: string
  /** `resource.OP`; null if any valid token is accepted, and of a session, if the call is of no organisation. */
  scope: ScopeNeed | PersonalNeed | null
  /** How the caller authenticates: by token (the default), by partner key, by a session's cookie, or not at all; a visitor signs in. */
  by?: 'token' | 'partner' | 'session' | 'visitor' | 'anyone'
  /** True if a session's call changes the organisation itself, which its command locks. */
  changesOrganization?: true
  /** True if it changes who belongs to the organisation: its command locks the members, and checks that the caller still may. */
  changesMembers?: true
  query?: Query
  body?: Body
  /** The shape that the body is refused by, where it is wider than the documented one: the handler checks the rest. */
  envelope?: TObject
  /** The fields of the multipart form of an upload, beside `file`. */
  form?: TObject
  /** Finds problems of a body that its shape cannot express. */
  alsoCheck?: (body: unknown) => FieldProblem[]
  /** The largest body in bytes, if not the default of 2 MB. */
  bodyLimit?: number
  /** The shape of the answer, without `code` and `message`. */
  answer: TObject
  status?: 200 | 201 | 202
  /** The media type of the file, for an answer that is one, and the shapes of the headers that it has. */
  fileType?: string
  fileHeaders?: Record<string, TSchema>
  /** The shape of the answer of a call whose work goes on after it: 202. */
  accepted?: TObject
  /** True if the call can return warnings: its answer then always has `warnings`, possibly empty. */
  warns?: true
  /** True for an answer without the envelope: the OpenAPI document. */
  bare?: boolean
  /** Whether a POST must carry an Idempotency-Key. */
  keyRequired?: boolean
  /** True if the answer contains a secret: it is stored encrypted. */
  secretAnswer?: boolean
  /** The activity calls have codes of their own for 401 and 403 (specification, "Errors"). */
  authCodes?: { unknown: 'authn.token_invalid'; scope: 'authz.scope_missing' }
}

/** The outcome of `prepare`: returns what it has returned, or throws what it has thrown. */
export type Prepared = () => unknown

/** Work that waits for another service, or takes long. The input has the right shape; nothing else has been checked. */
type Prepare<Query extends TObject, Body extends TSchema> = (
  input: Input<Query, Body>,
  gateways: Gateways,
  caller: Caller,
) => Promise<unknown>

type Handler<Query extends TObject, Body extends TSchema> =
  | { read: (context: RequestContext, input: Input<Query, Body>) => Promise<Answer> }
  | { list: (context: RequestContext, input: Input<Query, Body>) => Promise<Listed> }
  | {
      /** Runs before a database connection is taken. The handler calls `prepared` where its outcome belongs among the checks. */
      prepare?: Prepare<Query, Body>
      write: (books: Books, input: Input<Query, Body>, gateways: Gateways, prepared: Prepared) => Promise<Answer>
    }
  /** `over` is aborted when the stream ends: all rows are sent, or the caller has disconnected or stopped reading. */
  | { stream: (context: RequestContext, input: Input<Query, Body>, over: AbortSignal) => Promise<Streamed> }
  | { upload: UploadHandler }
  /** Finds a file. The returned FoundFile then gets it, which may take long. */
  | { file: (context: RequestContext, input: Input<Query, Body>) => Promise<FoundFile> }
  /** Refuses the request or stores it. The returned WorkflowAnswer then waits for the workflow, with no transaction open. */
  | {
      prepare?: Prepare<Query, Body>
      startWorkflow: (
        books: Books,
        input: Input<Query, Body>,
        request: WorkflowRequest,
        prepared: Prepared,
      ) => Promise<WorkflowAnswer>
    }

export type RouteDeclaration<Query extends TObject, Body extends TSchema> = Declaration<Query, Body> &
  Handler<Query, Body>

export interface Route extends Declaration<TObject, TSchema> {
  read?: (context: RequestContext, input: Input<TObject, TSchema>) => Promise<Answer>
  list?: (context: RequestContext, input: Input<TObject, TSchema>) => Promise<Listed>
  prepare?: Prepare<TObject, TSchema>
  write?: (books: Books, input: Input<TObject, TSchema>, gateways: Gateways, prepared: Prepared) => Promise<Answer>
  upload?: UploadHandler
  file?: (context: RequestContext, input: Input<TObject, TSchema>) => Promise<FoundFile>
  stream?: (context: RequestContext, input: Input<TObject, TSchema>, over: AbortSignal) => Promise<Streamed>
  startWorkflow?: (
    books: Books,
    input: Input<TObject, TSchema>,
    request: WorkflowRequest,
    prepared: Prepared,
  ) => Promise<WorkflowAnswer>
}

/** Declares a route; the shapes give the types of the handler's query and body. */
export function route<Query extends TObject, Body extends TSchema>(declaration: RouteDeclaration<Query, Body>): Route {
  return declaration as unknown as Route
}
