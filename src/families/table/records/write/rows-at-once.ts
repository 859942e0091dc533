const mostValues = 20_000; // of one statement; SQLite takes 32,766
const mostRows = 500; // of one statement; more of them are not faster

/** How many keys one statement asks for. */
export const keysAtOnce = mostRows;

/** How many records with so many columns one statement takes. */
export function rowsAtOnce(columns: number): number {
  return Math.max(1, Math.min(mostRows, Math.floor(mostValues / Math.max(1, columns))));
}
