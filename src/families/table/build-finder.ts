import { normaliseKey } from '../../core/index.ts';
import type { Field } from './table.ts';

/**
 * Builds a function that finds fields by name in any spelling. Names take precedence over labels, and labels
 * over aliases. Otherwise, earlier fields take precedence.
 */
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
