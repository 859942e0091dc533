import { AgentError, didYouMean, type Json } from '../../../core/index.ts';
import type { TableClock, Field, Table } from '../table.ts';
import { quote } from '../values/quote.ts';

/** The context for validating a request. */
export interface FitContext {
  readonly table: Table;
  readonly clock: TableClock;
}

/** Creates an error that names the invalid property. */
export function badMember(path: string, fault: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', `"${path}" ${fault}`, { hint });
}

/** Returns the value if it is one of the choices. Throws otherwise. */
export function fitChoice<Choice extends string>(
  path: string,
  given: Json | undefined,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === given);
  if (found !== undefined) return found;
  const hint =
    (typeof given === 'string' ? didYouMean(given, choices) : undefined) ??
    `Use one of ${choices.join(', ')}.`;
  throw badMember(
    path,
    given === undefined || given === null ? 'is missing.' : `cannot be ${quote(given)}.`,
    hint,
  );
}

/** Finds a field by name or alias. Throws if there is none. */
export function fitField({ table }: FitContext, given: Json, path: string): Field {
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
  return `The fields are ${some.join(', ')}${fields.length > some.length ? ', …' : ''}.`;
}

/** Returns the value if it is a whole number within the limits. Throws otherwise. */
export function fitCount(path: string, given: Json, least: number, most: number): number {
  if (typeof given === 'number' && Number.isInteger(given) && given >= least && given <= most) return given;
  const range = `Use a whole number from ${least} to ${most.toLocaleString('en-US')}.`;
  throw badMember(path, `cannot be ${quote(given)}.`, range);
}

/** Returns the value if it is a boolean. Throws otherwise. */
export function fitBoolean(path: string, given: Json): boolean {
  if (typeof given === 'boolean') return given;
  throw badMember(path, `must be true or false, not ${quote(given)}.`, 'To use false, omit this property.');
}

/** Returns the value if it is a non-blank string. Throws otherwise. */
export function fitText(path: string, given: Json): string {
  if (typeof given === 'string' && given.trim() !== '') return given;
  throw badMember(
    path,
    given === null ? 'is missing.' : `must be a string, not ${quote(given)}.`,
    'Pass a string.',
  );
}

/** Returns the value if it is a list. Throws otherwise. */
export function listOf(path: string, given: Json): readonly Json[] {
  if (Array.isArray(given)) return given as readonly Json[];
  throw badMember(
    path,
    given === null ? 'is missing.' : `must be a list, not ${quote(given)}.`,
    'Put the list in square brackets.',
  );
}
