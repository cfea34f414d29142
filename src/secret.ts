/** A value that never shows itself: not in logs, not in JSON, not in string templates. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; called only where it is put on the wire. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "****";
  }

  toJSON(): string {
    return "****";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "****";
  }
}
