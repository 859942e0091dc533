/** A growing list of whole numbers below 2³², four bytes each. */
export class Column {
  #values = new Uint32Array(16);
  #length = 0;

  /** How many numbers are in it. */
  get length(): number {
    return this.#length;
  }

  /** The number at a position; 0 past the end. */
  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** Adds a number at the end. */
  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }
}
