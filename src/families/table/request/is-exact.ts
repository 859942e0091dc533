import type { Field } from '../table.ts';

/** Whether texts of a field are the same only when each letter is; else the case of ASCII letters does not count. */
export function isExact({ type, key, unique, references }: Field): boolean {
  return !foldable.has(type) || key !== undefined || unique === true || references !== undefined;
}

const foldable: ReadonlySet<Field['type']> = new Set(['string', 'text', 'email', 'url']);
