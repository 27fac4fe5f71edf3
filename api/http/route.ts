// What a route is: one declaration, read by the server, the OpenAPI document, the contract tests and the README.
import type { Static, TObject, TSchema } from 'typebox'
import type { Books } from '../../commands/books/books.ts'
import type { Caller } from '../../commands/books/caller.ts'
import type { FieldProblem } from '../../domain/faults.ts'
import type { ScopeNeed } from '../../domain/scopes.ts'
import type { Database } from '../../models/database.ts'
import type { Scope } from '../../models/find.ts'
import type { Gateways } from './gateways.ts'

/** What a handler answers: the resource under its key, and an action's own message where it has one. */
export type Answer = { message?: string } & Record<string, unknown>

/**
 * An answer that is told while it is read, for what is too long to be held: the answer, whose last list is empty, and
 * the rows of that list in portions. They are wanted one portion after the other, at the pace of the reader.
 */
export interface Streamed {
  answer: Answer
  rows: AsyncIterable<unknown[]>
}

/**
 * An answer with a list whose rows may be large: they are shown a portion at a time, and told at the pace of the reader
 * where they come to more than is held.
 */
export interface Listed<Row = unknown> {
  /** With an empty list under `key`. */
  answer: Answer
  key: string
  rows: Row[]
  show(rows: Row[]): unknown[] | Promise<unknown[]>
}

export interface Input<Query extends TObject, Body extends TSchema> {
  params: Record<string, string>
  query: Static<Query>
  body: Static<Body>
}

/** What a read is given: the pool to ask, the organisation to ask within, and the machines beside the database. */
export interface RequestContext extends Scope {
  database: Database
  caller: Caller
  now: Date
  gateways: Gateways
}

/** Under which id a call writes down what it asks the engine for; a repeat of its key finds the same. */
export interface WorkflowRequest {
  id: string
  isNew: boolean
}

/** What is left to do of a call that hands work to the engine: to wait for it, and to read what it has made. */
export type WorkflowAnswer = (context: RequestContext) => Promise<Answer>

interface Declaration<Query extends TObject, Body extends TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below /api/public/v1, with {parameters}. */
  path: string
  /** The resource's name in the documents. */
  tag: string
  does: string
  /** `resource.OP`; null where any valid token will do. */
  scope: ScopeNeed | null
  /** Who may call: a token's holder, a partner by key, or anyone. */
  by?: 'token' | 'partner' | 'anyone'
  query?: Query
  body?: Body
  /** The problems of a body that its shape cannot say. */
  alsoCheck?: (body: unknown) => FieldProblem[]
  /** The largest body in bytes, where it is not the usual 2 MB. */
  bodyLimit?: number
  /** The shape of the answer beside code and message. */
  answer: TObject
  status?: 200 | 201
  /** True where the call can warn: its answer then always has `warnings`, empty where there is nothing to tell. */
  warns?: true
  /** True for the one answer that is a document of its own, without the envelope. */
  bare?: boolean
  /** Whether a POST must carry an Idempotency-Key. */
  keyRequired?: boolean
  /** True where the answer carries a secret: it is remembered encrypted. */
  secretAnswer?: boolean
  /** The activity calls have codes of their own for 401 and 403 (specification, "Errors"). */
  authCodes?: { unknown: 'authn.token_invalid'; scope: 'authz.scope_missing' }
}

/** What came of the work before the transaction: answers nothing, or throws what that work has thrown. */
export type Prepared = () => void

/** Work of a `write` that waits for another machine; the caller's shape is right by then, nothing else is checked. */
type Prepare<Query extends TObject, Body extends TSchema> =
  (input: Input<Query, Body>, gateways: Gateways, caller: Caller) => Promise<void>

type Handler<Query extends TObject, Body extends TSchema> =
  | { read: (context: RequestContext, input: Input<Query, Body>) => Promise<Answer> }
  | { list: (context: RequestContext, input: Input<Query, Body>) => Promise<Listed> }
  | {
    /** Done before a connection is taken. The handler asks for what came of it when it is its turn among the checks. */
    prepare?: Prepare<Query, Body>
    write: (books: Books, input: Input<Query, Body>, gateways: Gateways, prepared: Prepared) => Promise<Answer>
  }
  /** `over` is aborted when nobody waits for the rest: all of it is told, or the caller is gone or does not read. */
  | { stream: (context: RequestContext, input: Input<Query, Body>, over: AbortSignal) => Promise<Streamed> }
  /** Refuses, or writes down what is asked; the errand then waits for the engine, with no transaction open. */
  | { startWorkflow: (books: Books, input: Input<Query, Body>, request: WorkflowRequest) => Promise<WorkflowAnswer> }

export type RouteDeclaration<Query extends TObject, Body extends TSchema> = Declaration<Query, Body> & Handler<Query, Body>

export interface Route extends Declaration<TObject, TSchema> {
  read?: (context: RequestContext, input: Input<TObject, TSchema>) => Promise<Answer>
  list?: (context: RequestContext, input: Input<TObject, TSchema>) => Promise<Listed>
  prepare?: Prepare<TObject, TSchema>
  write?: (books: Books, input: Input<TObject, TSchema>, gateways: Gateways, prepared: Prepared) => Promise<Answer>
  stream?: (context: RequestContext, input: Input<TObject, TSchema>, over: AbortSignal) => Promise<Streamed>
  startWorkflow?: (books: Books, input: Input<TObject, TSchema>, request: WorkflowRequest) => Promise<WorkflowAnswer>
}

/** Declares a route; the handler's query and body are typed by their shapes. */
export function route<Query extends TObject, Body extends TSchema>(declaration: RouteDeclaration<Query, Body>): Route {
  return declaration as unknown as Route
}
