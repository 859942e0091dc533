const maxValues = 20_000; // The maximum number of values in one statement. SQLite accepts 32,766.
const maxRows = 500; // The maximum number of rows in one statement. More rows would not be faster.

/** The maximum number of keys that one statement looks up. */
export const keysAtOnce = maxRows;

/** Returns how many records with this many columns fit into one statement. */
export function rowsAtOnce(columns: number): number {
  return Math.max(1, Math.min(maxRows, Math.floor(maxValues / Math.max(1, columns))));
}
