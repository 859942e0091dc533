import { asText, type Json, type JsonObject } from '../../../core/index.ts';
import type { TableRow } from '../table.ts';

const mostLetters = 3_000_000; // of all records, as JSON: more than that cannot be kept with a run
const longestText = 20_000; // of one value where all of them are too large

/** Records as a program gets them: as they are, unless that is too much to keep; then long values are cut, and `cut` names their fields. */
export function recordValues(rows: readonly TableRow[]): {
  readonly records: readonly JsonObject[];
  readonly cut?: readonly string[];
} {
  let size = 0;
  for (const row of rows) size += JSON.stringify(row).length;
  if (size <= mostLetters) return { records: rows };
  const cut = new Set<string>();
  const most = Math.max(100, Math.min(longestText, Math.floor(mostLetters / (rows.length * 10))));
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
