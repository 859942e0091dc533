import { AgentError, nearestNames } from '../../../core/index.ts';
import type { Field, Table } from '../table.ts';
import { unguardCell } from './formula-guard.ts';
import { listWords } from './list-words.ts';

/** Knows which fields the names in a file mean, and remembers those that mean none. */
export interface NameMatcher {
  match(name: string): Field | undefined;
  /** Throws `usage.bad-input` with all names that meant no field, and what is near to them. */
  mustBeKnown(): void;
}

/** A matcher for the names in one file: a declared name goes before a label or an alias. */
export function createNameMatcher(table: Table, shown: string): NameMatcher {
  const known = new Map<string, Field | undefined>();
  const mustBeKnown = (): void => {
    const unknown = [...known].filter(([, field]) => field === undefined).map(([name]) => name);
    if (unknown.length > 0) throw unknownNames(table, shown, unknown);
  };
  return {
    match(name) {
      if (known.has(name)) return known.get(name);
      if (known.size >= mostKept) mustBeKnown();
      const field = table.find(name) ?? table.find(unguardCell(name));
      known.set(name, field);
      return field;
    },
    mustBeKnown,
  };
}

const mostKept = 1000; // names that are waited for before those that are unknown are told
const mostShown = 20;

function unknownNames(table: Table, shown: string, unknown: readonly string[]): AgentError {
  const names = unknown.map((name) => `"${name.slice(0, 60)}"`);
  const near = unknown.slice(0, mostShown).flatMap((name) => {
    const [nearest] = nearestNames(
      name,
      table.fields.map((field) => field.name),
      1,
    );
    return nearest === undefined ? [] : [`"${nearest}" for "${name.slice(0, 60)}"`];
  });
  const question = near.length === 0 ? '' : `Did you mean ${listWords(near)}? `;
  const fields = table.fields.map(({ name }) => name).join(', ');
  const verb = names.length === 1 ? 'is no field' : 'are no fields';
  return new AgentError('usage.bad-input', `In "${shown}", ${listWords(names)} ${verb} of ${table.name}.`, {
    hint: `${question}Rename or remove what is unknown; the fields are: ${fields}.`,
    details: { unknown: unknown.slice(0, mostShown) },
  });
}
