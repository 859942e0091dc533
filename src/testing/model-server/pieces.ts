import { evenPieces } from '../../models/even-pieces.ts';

/** The text in as many pieces of about the same length, or word by word; none is empty, and no character is cut in two. */
export function piecesOfText(text: string, count: number | undefined): readonly string[] {
  return count === undefined ? (text.match(/\s*\S+\s?|\s+/gu) ?? []) : evenPieces(text, count);
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
