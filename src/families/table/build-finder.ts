import { normaliseKey } from '../../core/index.ts';
import type { Field } from './table.ts';

/** Finds fields in any spelling of their names. A name goes before a label, a label before an alias, and an earlier field before a later one. */
export function buildFinder<Named extends Pick<Field, 'name' | 'label' | 'shortLabel' | 'aliases'>>(
  fields: readonly Named[],
): (name: string) => Named | undefined {
  const index = new Map<string, Named>();
  const namings: readonly ((field: Named) => readonly (string | undefined)[])[] = [
    ({ name }) => [name],
    ({ label, shortLabel }) => [label, shortLabel],
    ({ aliases }) => aliases ?? [],
  ];
  for (const namesOf of namings) {
    for (const field of fields) {
      for (const name of namesOf(field)) {
        if (name !== undefined && !index.has(normaliseKey(name))) index.set(normaliseKey(name), field);
      }
    }
  }
  return (name) => index.get(normaliseKey(name));
}
