/** A text in as many pieces of about the same length; none of them is empty, and no character is cut in two. */
export function evenPieces(text: string, count: number): readonly string[] {
  const characters = Array.from(text);
  const most = Math.min(characters.length, Math.max(1, Math.floor(count)));
  const placeOf = (index: number): number => Math.floor((index * characters.length) / most);
  return Array.from({ length: most }, (_, index) =>
    characters.slice(placeOf(index), placeOf(index + 1)).join(''),
  );
}
