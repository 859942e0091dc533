import type { Field } from '../table.ts';
import { isTextType } from './comparisons-of.ts';

/** Whether a field's text is compared exactly. Otherwise, comparisons ignore the case of ASCII letters. */
export function isExact({ type, key, unique, references }: Field): boolean {
  return !isTextType(type) || key !== undefined || unique === true || references !== undefined;
}
