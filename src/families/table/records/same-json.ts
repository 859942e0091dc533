import { canonicalJson, type Json } from '../../../core/index.ts';

/** Whether two JSON values are equal. The order of keys does not matter, and undefined equals null. */
export function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  const [left, right] = [one ?? null, other ?? null];
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  return canonicalJson(left) === canonicalJson(right);
}
