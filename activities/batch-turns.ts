// The order in which the batches of a bulk are written: a batch reads while the batch before it is written, and is written after it.

/** Thrown to a batch that waits to be written while the batch before it begins again. */
export class BeginAgain extends Error {}

/**
 * The turn of one batch. A batch that waits to be written has an open transaction, whose locks could keep the batch before it from
 * beginning again: a change of the organisation may wait for the one, and the other for that change. So whenever a batch
 * begins again, the batches after it give up their transactions, and begin again when it is decided.
 */
export class BatchTurn {
  readonly #before: BatchTurn | null
  readonly #read = Promise.withResolvers<void>()
  readonly #decision = Promise.withResolvers<void>()
  readonly #restart = Promise.withResolvers<never>()
  #isBegun = false

  constructor(before: BatchTurn | null) {
    this.#before = before
    // Whoever waits for these handles their rejection.
    for (const { promise } of [this.#decision, this.#restart]) promise.catch(() => undefined)
  }

  /** Resolves when the batch has read what it needs, or is decided: the next batch may begin. */
  get hasRead(): Promise<void> {
    return this.#read.promise
  }

  /** Resolves when it is decided what becomes of the batch; rejects when that cannot be decided now. */
  get decided(): Promise<void> {
    return this.#decision.promise
  }

  /** Called whenever the batch's transaction begins. */
  begin(): void {
    if (this.#isBegun) this.giveUp()
    this.#isBegun = true
  }

  /** Called when the batch's transaction was given up before the batch was decided. */
  giveUp(): void {
    this.#restart.reject(new BeginAgain('the batch before begins again'))
  }

  /** Called when the batch has read: waits until the batch before it is decided. Throws BeginAgain, and why that batch cannot be decided. */
  async waitToWrite(): Promise<void> {
    this.#read.resolve()
    if (this.#before) await Promise.race([this.#before.decided, this.#before.#restart.promise])
  }

  /** Waits until the batch before is decided, however often it begins. */
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
