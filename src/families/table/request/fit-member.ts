import { AgentError, didYouMean, type Json } from '../../../core/index.ts';
import type { TableClock, Field, Table } from '../table.ts';
import { quote } from '../values/quote.ts';

/** What members of a request are checked against. */
export interface FitGround {
  readonly table: Table;
  readonly clock: TableClock;
}

/** A failure that names the member. */
export function badMember(path: string, fault: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', `"${path}" ${fault}`, { hint });
}

/** One of some words. */
export function fitWord<Word extends string>(
  path: string,
  given: Json | undefined,
  words: readonly Word[],
): Word {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  const hint =
    (typeof given === 'string' ? didYouMean(given, words) : undefined) ?? `It is one of ${words.join(', ')}.`;
  throw badMember(
    path,
    given === undefined || given === null ? 'is missing.' : `cannot be ${quote(given)}.`,
    hint,
  );
}

/** A field, by any of its names. */
export function fitField({ table }: FitGround, given: Json, path: string): Field {
  if (typeof given !== 'string' || given === '')
    throw badMember(path, 'must be the name of a field.', fieldsOf(table));
  const field = table.find(given);
  if (field !== undefined) return field;
  const hint =
    didYouMean(
      given,
      table.fields.map(({ name }) => name),
    ) ?? fieldsOf(table);
  throw badMember(path, `cannot be ${quote(given)}, which is not a field of ${table.name}.`, hint);
}

function fieldsOf({ fields }: Table): string {
  const some = fields.slice(0, 12).map(({ name }) => name);
  return `There are ${some.join(', ')}${fields.length > some.length ? ', …' : ''}.`;
}

/** A whole number within limits. */
export function fitCount(path: string, given: Json, least: number, most: number): number {
  if (typeof given === 'number' && Number.isInteger(given) && given >= least && given <= most) return given;
  const range = `It is a whole number from ${least} to ${most.toLocaleString('en-US')}.`;
  throw badMember(path, `cannot be ${quote(given)}.`, range);
}

/** True or false. */
export function fitTruth(path: string, given: Json): boolean {
  if (typeof given === 'boolean') return given;
  throw badMember(path, `must be true or false, not ${quote(given)}.`, 'Leave it away for false.');
}

/** A text that is not empty. */
export function fitText(path: string, given: Json): string {
  if (typeof given === 'string' && given.trim() !== '') return given;
  throw badMember(
    path,
    given === null ? 'is missing.' : `must be a text, not ${quote(given)}.`,
    'Give a text.',
  );
}

/** A list. */
export function listOf(path: string, given: Json): readonly Json[] {
  if (Array.isArray(given)) return given as readonly Json[];
  throw badMember(
    path,
    given === null ? 'is missing.' : `must be a list, not ${quote(given)}.`,
    'Write it in square brackets.',
  );
}
