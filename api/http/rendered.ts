// A value of an answer that is JSON already.

export class Rendered {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }

  /** For an answer that is serialised as a whole; where speed counts, `json` is used as it is. */
  toJSON(): unknown {
    return JSON.parse(this.json)
  }
}
