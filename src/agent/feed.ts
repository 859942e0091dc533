/** Items that any number of readers get from the first one on, each at its own pace. */
export class Feed<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = [];
  #isOver = false;
  #next = Promise.withResolvers<undefined>();

  push(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  /** There are no more items. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    for (let index = 0; ;) {
      while (index < this.#items.length) yield this.#items[index++] as Item;
      if (this.#isOver) return;
      await this.#next.promise;
    }
  }

  #wake(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<undefined>();
    resolve(undefined);
  }
}
