import { normaliseKey, unsafeKeys } from '../../../core/index.ts';
import type { ExistingColumn } from '../schema/existing-table.ts';
import { sqlName } from '../schema/sql-name.ts';

const plain = /^[\p{L}\p{N}]+(?:[_ -][\p{L}\p{N}]+)*$/u;

/** The name of the field for each column: its own where a heading can hold it and no other one is the same in another spelling. */
export function buildFieldNames(
  columns: readonly Pick<ExistingColumn, 'name'>[],
): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const { name } of columns) {
    const own = plain.test(name) && name.length <= 100 ? name : sqlName(name);
    const base = unsafeKeys.has(own) ? `${own}_1` : own;
    let field = base;
    for (let count = 2; taken.has(normaliseKey(field)); count++) field = `${base}_${count}`;
    taken.add(normaliseKey(field));
    names.set(name, field);
  }
  return names;
}
