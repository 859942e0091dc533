import { sqlName } from './sql-name.ts';

/** What a name means: the one that is called so, else the only one that is called so in another spelling. */
export function matchName<Named>(
  items: readonly Named[],
  name: string,
  nameOf: (item: Named) => string,
): Named | undefined {
  const wanted = sqlName(name);
  const exact = items.find((item) => nameOf(item) === name) ?? items.find((item) => nameOf(item) === wanted);
  if (exact !== undefined) return exact;
  const alike = items.filter((item) => sqlName(nameOf(item)) === wanted);
  return alike.length === 1 ? alike[0] : undefined;
}
