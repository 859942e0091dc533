/** The text in as many pieces of about the same length, or word by word; none is empty, and no character is cut in two. */
export function piecesOfText(text: string, count: number | undefined): readonly string[] {
  if (count === undefined) return text.match(/\s*\S+\s?|\s+/gu) ?? [];
  const characters = Array.from(text);
  const most = Math.min(characters.length, Math.max(1, Math.floor(count)));
  const placeOf = (index: number): number => Math.floor((index * characters.length) / most);
  return Array.from({ length: most }, (_, index) =>
    characters.slice(placeOf(index), placeOf(index + 1)).join(''),
  );
}

/** Arguments in short pieces that end in the middle of strings, and after each backslash, so in the middle of escapes. */
export function piecesOfArguments(text: string): readonly string[] {
  return text.match(/[^\\]{1,7}\\?|\\/gu) ?? [];
}

/** The first of each list, then the second of each, and so on. */
export function interleave<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}
