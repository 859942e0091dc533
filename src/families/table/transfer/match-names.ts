import { AgentError, nearestNames } from '../../../core/index.ts';
import type { Field, Table } from '../table.ts';
import { unguardCell } from './formats.ts';
import { badFile } from './read-pieces.ts';

/** Maps the names in a file to fields. Collects the names that match no field. */
export interface NameMatcher {
  match(name: string): Field | undefined;
  /**
   * Throws `usage.bad-input` if any name matched no field. The error lists these names and suggests similar
   * fields.
   */
  mustBeKnown(): void;
}

/** Returns the fields named in a file's header, in order. Throws for unknown, repeated or unnamed columns. */
export function matchHead(table: Table, head: readonly string[], shown: string): readonly Field[] {
  const matcher = createNameMatcher(table, shown);
  const unnamed = head.findIndex((name) => name.trim() === '');
  if (unnamed >= 0) {
    const hint = 'Name this column in the first row, or remove the column.';
    throw badFile(`Column ${unnamed + 1} of "${shown}" has no name.`, hint);
  }
  const fields = head.map((name) => matcher.match(name));
  matcher.mustBeKnown();
  const found = fields.filter((field) => field !== undefined);
  const again = found.findIndex((field, index) => found.indexOf(field) < index);
  const twice = found[again];
  if (twice === undefined) return found;
  const names = head.filter((_, index) => found[index] === twice).map((name) => `"${name}"`);
  const message = `Several columns in "${shown}" refer to ${twice.name}: ${listWords(names)}.`;
  throw badFile(message, 'Keep only one of these columns.');
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

/**
 * Joins words for a sentence, as in `a, b and c`. Lists at most 20 words, followed by the number of remaining
 * words.
 */
function listWords(words: readonly string[]): string {
  const shown = words.slice(0, maxShown);
  const last = words.length > maxShown ? `${words.length - maxShown} more` : shown.pop();
  return shown.length === 0 ? (last ?? '') : `${shown.join(', ')} and ${last ?? ''}`;
}
