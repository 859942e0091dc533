import type { FieldType } from '../descriptor/definition.ts';
import type { ExistingColumn } from '../schema/existing-table.ts';

/** The default of a column where it is a plain value, or the present; undefined for everything else. */
export function readDefault({ default: expression }: ExistingColumn, type: FieldType): string | undefined {
  if (expression === undefined) return undefined;
  const bare = expression
    .trim()
    .replace(/^\((.*)\)$/s, '$1')
    .trim();
  if (type === 'datetime' && /^(?:current_timestamp|now\(\)|localtimestamp)$/i.test(bare)) return 'now';
  if (type === 'date' && /^(?:current_date|date\('now'\))$/i.test(bare)) return 'today';
  const text = /^'((?:[^']|'')*)'(?:::[\w ."[\]()]+)?$/s.exec(bare)?.[1]?.replaceAll("''", "'");
  if (text !== undefined) return isPlain(text) ? text : undefined;
  if (/^[+-]?\d+(?:\.\d+)?$/.test(bare)) return type === 'boolean' ? String(Number(bare) !== 0) : bare;
  return /^(?:true|false)$/i.test(bare) && type === 'boolean' ? bare.toLowerCase() : undefined;
}

/** Whether a descriptor can hold it: empty text is no value there. */
function isPlain(text: string): boolean {
  return text !== '' && text.trim() === text && !/[\n\r]/.test(text);
}
