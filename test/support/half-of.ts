// Another half for each process, so that every case is tried again and again.
const first = process.pid % 2;

/**
 * Returns half of the cases of a long list, so that `npm test` stays short. CI, which sets SKILLED_NO_SKIP,
 * tries all of them. So does one file alone: `SKILLED_NO_SKIP=1 npm test -- <file>`.
 */
export function halfOf<Item>(items: readonly Item[]): readonly Item[] {
  if (process.env['SKILLED_NO_SKIP']) return items;
  return items.filter((_item, index) => index % 2 === first);
}
