import type { Ground } from './ground.ts';

/** Whether the database itself sees to it that no two records have the same key. */
export function hasKey({ existing, columns }: Pick<Ground, 'existing' | 'columns'>): boolean {
  if (existing === undefined) return true;
  const wanted = columns.filter(({ field }) => field.key !== undefined).map(({ name }) => name);
  const uniques = existing.indexes.filter(({ isUnique }) => isUnique).map((index) => index.columns);
  return [existing.key, ...uniques].some((key) => isSameSet(key, wanted));
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((name) => others.includes(name));
}
