import { hash } from 'node:crypto';

const longest = 63; // bytes: more than that is cut off by PostgreSQL

/** A name as tables and columns are called: lower case, letters and digits of any script, one underscore for all else. */
export function sqlName(text: string): string {
  const words = text
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
  return cutName(words === '' ? `t_${digestOf(text)}` : words);
}

/** A name that databases take whole; a longer one keeps its beginning and gets a mark of its own. */
export function cutName(name: string): string {
  if (Buffer.byteLength(name) <= longest) return name;
  let start = name.slice(0, longest);
  while (Buffer.byteLength(start) > longest - 9 || !start.isWellFormed()) start = start.slice(0, -1);
  return `${start}_${digestOf(name)}`;
}

/**
 * Whether tables of skills may not be called so, perhaps with a schema in front: it belongs to the database, or to what is
 * kept beside the tables or about runs.
 */
export function isReservedName(name: string): boolean {
  const [schema = '', ...rest] = name.split('.').map(sqlName);
  if (rest.length > 0 && /^(?:skilled|information_schema|pg_.*)$/.test(schema)) return true;
  return [schema, ...rest].some((part) => /^(?:skilled|sqlite)_/.test(part));
}

function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 8);
}
