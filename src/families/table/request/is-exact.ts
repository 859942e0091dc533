import type { Field } from '../table.ts';
import { isTextType } from './comparisons-of.ts';

/** Whether texts of a field are the same only when each letter is; else the case of ASCII letters does not count. */
export function isExact({ type, key, unique, references }: Field): boolean {
  return !isTextType(type) || key !== undefined || unique === true || references !== undefined;
}
