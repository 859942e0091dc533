/** Numbers that look random and are the same for the same seed; much cheaper than an arbitrary. */
export interface Random {
  /** A whole number from 0 up to, and without, a limit. */
  below(limit: number): number;
  /** One of a list that has some. */
  pick<Item>(list: readonly Item[]): Item;
}

/** Starts the sequence of a seed. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, pick: (list) => list[below(list.length)]! };
}
