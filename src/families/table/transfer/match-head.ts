import { AgentError } from '../../../core/index.ts';
import type { Field, Table } from '../table.ts';
import { listWords } from './list-words.ts';
import { createNameMatcher } from './name-matcher.ts';

/** The fields that the head of a file names, in its order; throws for one that is unknown, repeated or has no name. */
export function matchHead(table: Table, head: readonly string[], shown: string): readonly Field[] {
  const matcher = createNameMatcher(table, shown);
  const unnamed = head.findIndex((name) => name.trim() === '');
  if (unnamed >= 0) {
    throw new AgentError('usage.bad-input', `Column ${unnamed + 1} of "${shown}" has no name.`, {
      hint: 'Its first row names the field of each column: name it, or remove the column.',
    });
  }
  const fields = head.map((name) => matcher.match(name));
  matcher.mustBeKnown();
  const found = fields.filter((field) => field !== undefined);
  const again = found.findIndex((field, index) => found.indexOf(field) < index);
  const twice = found[again];
  if (twice === undefined) return found;
  const names = head.filter((_, index) => found[index] === twice).map((name) => `"${name}"`);
  throw new AgentError(
    'usage.bad-input',
    `"${shown}" has ${twice.name} in several columns: ${listWords(names)}.`,
    {
      hint: 'Keep one of them.',
    },
  );
}
