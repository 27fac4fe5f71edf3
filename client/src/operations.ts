// The types of calls, drawn from the generated schemas: what a path takes by a method, and what it answers.

export type Method = 'get' | 'post' | 'put' | 'delete'

type OperationOf<Paths, Path extends keyof Paths, M extends Method> = Paths[Path] extends {
  [Key in M]: infer Operation
}
  ? Operation
  : never

type ContentOf<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses & (200 | 201 | 202)]: Responses[Status] extends { content: infer Content }
        ? Content
        : never
    }[keyof Responses & (200 | 201 | 202)]
  : never

type JsonOf<Content> = Content extends { 'application/json': infer Json } ? Json : never

/** The answer of a path to a method. */
export type AnswerOf<Paths, Path extends keyof Paths, M extends Method> = JsonOf<ContentOf<OperationOf<Paths, Path, M>>>

/** The paths that have the method and answer JSON. */
export type PathsWith<Paths, M extends Method> = {
  [Path in keyof Paths & string]: [AnswerOf<Paths, Path, M>] extends [never] ? never : Path
}[keyof Paths & string]

/** The paths that answer a file. */
export type FilePaths<Paths> = {
  [Path in keyof Paths & string]: 'application/pdf' extends keyof ContentOf<OperationOf<Paths, Path, 'get'>>
    ? Path
    : never
}[keyof Paths & string]

/** The paths of lists that are read page by page. */
export type PagedPaths<Paths> = {
  [Path in PathsWith<Paths, 'get'>]: AnswerOf<Paths, Path, 'get'> extends {
    page_context: { next_cursor: unknown } | { page: number }
  }
    ? Path
    : never
}[PathsWith<Paths, 'get'>]

/** A row of a list. */
export type RowOf<Answer> = {
  [Key in keyof Answer]: Answer[Key] extends readonly (infer Row)[] ? Row : never
}[keyof Answer]

type ParametersOf<Operation> = Operation extends { parameters: infer Parameters }
  ? Pick<Parameters, keyof Parameters & ('path' | 'query')>
  : unknown

type BodyOf<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? { body: Content[keyof Content] }
  : Operation extends { requestBody?: { content: infer Content } }
    ? { body?: Content[keyof Content] }
    : unknown

/** What can be said of each call. */
export interface CallOptions {
  /** Ends the call, its waits and repeats; the promise rejects with the signal's reason. */
  signal?: AbortSignal
  /** How long one attempt may take, in milliseconds, in place of the client's. */
  timeoutMs?: number
  /** How often the call is repeated at most, in place of the client's. */
  retries?: number
}

/** What can be said of a POST besides. */
export interface KeyedOptions extends CallOptions {
  /** The Idempotency-Key: 1 to 200 letters, digits, `-`, `_`, `:`. The client makes one unless it is given. */
  idempotencyKey?: string
}

type OptionsOf<Operation, M extends Method> = ParametersOf<Operation> &
  BodyOf<Operation> &
  (M extends 'post' ? KeyedOptions : CallOptions)

type RequiredKeys<Value> = { [Key in keyof Value]-?: object extends Pick<Value, Key> ? never : Key }[keyof Value]

/** The arguments of a call after its path: the options, which may be left out where nothing of them is required. */
export type Args<Paths, Path extends keyof Paths, M extends Method, More = unknown> =
  RequiredKeys<OptionsOf<OperationOf<Paths, Path, M>, M>> extends never
    ? [options?: OptionsOf<OperationOf<Paths, Path, M>, M> & More]
    : [options: OptionsOf<OperationOf<Paths, Path, M>, M> & More]

/** The options of a call as the client reads them. */
export interface SentOptions extends KeyedOptions {
  path?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}
