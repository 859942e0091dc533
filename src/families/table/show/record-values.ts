import { asText, type Json, type JsonObject } from '../../../core/index.ts';
import type { TableRow } from '../table.ts';

const maxCharacters = 3_000_000; // The maximum length of all records as JSON. A run cannot store more.
const longestText = 20_000; // The maximum length of a value if all records are too large.

/**
 * Returns records for programs. If they are too large to store, shortens long values and lists their fields
 * in `cut`.
 */
export function recordValues(rows: readonly TableRow[]): {
  readonly records: readonly JsonObject[];
  readonly cut?: readonly string[];
} {
  let size = 0;
  for (const row of rows) size += JSON.stringify(row).length;
  if (size <= maxCharacters) return { records: rows };
  const cut = new Set<string>();
  const most = Math.max(100, Math.min(longestText, Math.floor(maxCharacters / (rows.length * 10))));
  const records = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shortened(name, value)])),
  );
  return { records, cut: [...cut] };

  function shortened(name: string, value: Json): Json {
    const text = asText(value);
    if (text.length <= most) return value;
    cut.add(name);
    return `${text.slice(0, most).toWellFormed()}…`;
  }
}
