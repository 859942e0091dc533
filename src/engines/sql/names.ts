import { hash } from 'node:crypto';

const longest = 63; // The maximum length of a name, in bytes. PostgreSQL truncates longer names.

/**
 * Converts a name to a table or column name. Keeps lowercase letters and digits of any script, and replaces
 * each run of other characters with an underscore.
 */
export function sqlName(text: string): string {
  const lower = text.normalize('NFC').toLowerCase().normalize('NFC');
  const name = lower.replace(/[^\p{L}\p{M}\p{N}]+/gu, '_').replace(/^_|_$/g, '');
  return cutName(name === '' ? `t_${digestOf(text)}` : name);
}

/**
 * Returns a name short enough that databases do not truncate it. A longer name is shortened and gets a digest
 * as a suffix.
 */
export function cutName(name: string): string {
  if (Buffer.byteLength(name) <= longest) return name;
  let start = name.slice(0, longest);
  while (Buffer.byteLength(start) > longest - 9 || !start.isWellFormed()) start = start.slice(0, -1);
  return `${start}_${digestOf(name)}`;
}

/** Finds an item by name: an exact match or, if there is none, the only match in another spelling. */
export function matchName<Named>(
  items: readonly Named[],
  name: string,
  nameOf: (item: Named) => string,
): Named | undefined {
  const normalised = sqlName(name);
  const exact =
    items.find((item) => nameOf(item) === name) ?? items.find((item) => nameOf(item) === normalised);
  if (exact !== undefined) return exact;
  const alike = items.filter((item) => sqlName(nameOf(item)) === normalised);
  return alike.length === 1 ? alike[0] : undefined;
}

function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 8);
}
