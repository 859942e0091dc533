import { AgentError, nearestNames } from '../../../core/index.ts';
import type { Field, Table } from '../table.ts';
import { unguardCell } from './formula-guard.ts';
import { listWords } from './list-words.ts';

/** Maps the names in a file to fields. Collects the names that match no field. */
export interface NameMatcher {
  match(name: string): Field | undefined;
  /**
   * Throws `usage.bad-input` if any name matched no field. The error lists these names and suggests similar
   * fields.
   */
  mustBeKnown(): void;
}

/** Creates a matcher for the names in one file. Declared names take precedence over labels and aliases. */
export function createNameMatcher(table: Table, shown: string): NameMatcher {
  const known = new Map<string, Field | undefined>();
  const mustBeKnown = (): void => {
    const unknown = [...known].filter(([, field]) => field === undefined).map(([name]) => name);
    if (unknown.length > 0) throw unknownNames(table, shown, unknown);
  };
  return {
    match(name) {
      if (known.has(name)) return known.get(name);
      if (known.size >= maxNames) mustBeKnown();
      const field = table.find(name) ?? table.find(unguardCell(name));
      known.set(name, field);
      return field;
    },
    mustBeKnown,
  };
}

// The maximum number of names to collect. Beyond that, an unknown name throws immediately.
const maxNames = 1000;
const maxShown = 20;

function unknownNames(table: Table, shown: string, unknown: readonly string[]): AgentError {
  const names = unknown.map((name) => `"${name.slice(0, 60)}"`);
  const near = unknown.slice(0, maxShown).flatMap((name) => {
    const [nearest] = nearestNames(
      name,
      table.fields.map((field) => field.name),
      1,
    );
    return nearest === undefined ? [] : [`"${nearest}" for "${name.slice(0, 60)}"`];
  });
  const question = near.length === 0 ? '' : `Did you mean ${listWords(near)}? `;
  const fields = table.fields.map(({ name }) => name).join(', ');
  const verb = names.length === 1 ? 'is not a field' : 'are not fields';
  return new AgentError('usage.bad-input', `In "${shown}", ${listWords(names)} ${verb} of ${table.name}.`, {
    hint: `${question}Rename or remove unknown names; the fields are: ${fields}.`,
    details: { unknown: unknown.slice(0, maxShown) },
  });
}
