import { AgentError, didYouMean, isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import type { Field, Table, TableClock } from '../table.ts';
import { quote } from '../values/quote.ts';
import { buildComparison } from './build-comparison.ts';
import { comparisons, requestLimits, type Condition } from './request.ts';

const { deepest, maxLeaves } = requestLimits;

/**
 * Validates a condition in JSON and converts its values to their fields' types. Throws `usage.bad-input`,
 * naming the invalid property.
 */
export function fitCondition(context: FitContext, given: Json, path: string): Condition {
  let leaves = 0;
  return fit(given, path, 1);

  function fit(part: Json, partPath: string, depth: number): Condition {
    if (!isJsonObject(part))
      throw badMember(
        partPath,
        part === null ? 'is missing.' : `must be an object, not ${quote(part)}.`,
        form,
      );
    if (depth > deepest) throw badMember(partPath, `is nested deeper than ${deepest} levels.`, 'Flatten it.');
    const names = Object.keys(part).filter((name) => part[name] !== null || name === 'value');
    const [kind = ''] = kinds.filter((name) => names.includes(name));
    checkNames(partPath, part, kind, names);
    if (kind === 'all') return { all: parts(part['all'] ?? null, `${partPath}.all`, depth) };
    if (kind === 'any') return { any: parts(part['any'] ?? null, `${partPath}.any`, depth) };
    if (kind === 'not') return { not: fit(part['not'] ?? null, `${partPath}.not`, depth + 1) };
    leaves++;
    if (leaves > maxLeaves)
      throw badMember(path, `has more than ${maxLeaves} comparisons.`, 'Use fewer comparisons.');
    return leaf(part, partPath);
  }

  function parts(list: Json, partPath: string, depth: number): readonly Condition[] {
    const items = listOf(partPath, list);
    if (items.length === 0) throw badMember(partPath, 'is empty.', 'Add at least one condition.');
    return items.map((item, index) => fit(item, `${partPath}[${index}]`, depth + 1));
  }

  function leaf(part: JsonObject, partPath: string): Condition {
    const field = fitField(context, part['field'] ?? null, `${partPath}.field`);
    const is = fitChoice(`${partPath}.is`, part['is'], comparisons);
    const built = buildComparison(field, is, part['value'], context.clock);
    if ('condition' in built) return built.condition;
    throw badMember(
      `${partPath}.value`,
      `is invalid: ${built.fault}`,
      `The type of "${field.name}" is ${field.type}.`,
    );
  }
}

const kinds = ['all', 'any', 'not', 'field'];
const form = 'Write {"field": …, "is": …, "value": …}, {"all": […]}, {"any": […]} or {"not": …}.';

function checkNames(partPath: string, part: JsonObject, kind: string, names: readonly string[]): void {
  const allowed = kind === 'field' ? ['field', 'is', 'value'] : [kind, 'value'];
  const stray = names.find(
    (name) => !allowed.includes(name) || (name === 'value' && kind !== 'field' && part['value'] !== null),
  );
  if (kind === '') throw badMember(partPath, 'is empty.', form);
  if (stray !== undefined)
    throw badMember(`${partPath}.${stray}`, `cannot be combined with "${kind}".`, form);
}

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
