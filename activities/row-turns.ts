// The order in which the rows of a bulk are written: a row reads while the row before it is written, and is written after it.

/** Thrown to a row that waits to be written while the row before it begins again. */
export class BeginAgain extends Error {}

/**
 * The turn of one row. A row that waits to be written has an open transaction, whose locks could keep the row before it from
 * beginning again: a change of the organisation may wait for the one, and the other for that change. So whenever a row
 * begins again, the rows after it give up their transactions, and begin again when it is decided.
 */
export class RowTurn {
  readonly #before: RowTurn | null
  readonly #read = Promise.withResolvers<void>()
  readonly #decision = Promise.withResolvers<void>()
  readonly #restart = Promise.withResolvers<never>()
  #isBegun = false

  constructor(before: RowTurn | null) {
    this.#before = before
    // Whoever waits for these handles their rejection.
    for (const { promise } of [this.#decision, this.#restart]) promise.catch(() => undefined)
  }

  /** Resolves when the row has read what it needs, or is decided: the next row may begin. */
  get hasRead(): Promise<void> {
    return this.#read.promise
  }

  /** Resolves when it is decided what becomes of the row; rejects when that cannot be decided now. */
  get decided(): Promise<void> {
    return this.#decision.promise
  }

  /** Called whenever the row's transaction begins. */
  begin(): void {
    if (this.#isBegun) this.giveUp()
    this.#isBegun = true
  }

  /** Called when the row's transaction was given up before the row was decided. */
  giveUp(): void {
    this.#restart.reject(new BeginAgain('the row before begins again'))
  }

  /** Called when the row has read: waits until the row before it is decided. Throws BeginAgain, and why that row cannot be decided. */
  async waitToWrite(): Promise<void> {
    this.#read.resolve()
    if (this.#before) await Promise.race([this.#before.decided, this.#before.#restart.promise])
  }

  /** Waits until the row before is decided, however often it begins. */
  async afterBefore(): Promise<void> {
    await this.#before?.decided
  }

  decide(): void {
    this.#read.resolve()
    this.#decision.resolve()
  }

  fail(error: unknown): void {
    this.#read.resolve()
    this.#decision.reject(error)
  }
}
