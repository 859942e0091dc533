/** The beginning of an id, long enough to be the only one of its kind in all but the largest stores. */
export function shortId(id: string): string {
  return id.slice(0, 10);
}

const shortest = 8;

/** The beginnings of ids, as short as they can be told apart. Pure. */
export function shortIds(ids: readonly string[]): readonly string[] {
  const longest = Math.max(shortest, ...ids.map((id) => id.length));
  for (let length = shortest; length < longest; length++) {
    const cut = ids.map((id) => id.slice(0, length));
    if (new Set(cut).size === new Set(ids).size) return cut;
  }
  return ids;
}
