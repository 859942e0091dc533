import { AgentError, didYouMean, isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import type { Field, Table, TableClock } from '../table.ts';
import { quote } from '../values/quote.ts';
import { buildComparison } from './build-comparison.ts';
import { comparisons, requestLimits, type Condition } from './request.ts';

const { deepest, maxLeaves } = requestLimits;
const form = 'Write {"field": …, "is": …, "value": …}, {"all": […]}, {"any": […]} or {"not": …}.';

/**
 * Validates a condition in JSON and converts its values to their fields' types. Throws `usage.bad-input`,
 * naming the invalid property.
 */
export function fitCondition(context: FitContext, given: Json, path: string): Condition {
  let leaves = 0;
  return fit(given, path, 1);

  function fit(part: Json, partPath: string, depth: number): Condition {
    if (!isJsonObject(part)) throw wrongType(partPath, part, 'an object', form);
    if (depth > deepest) throw badMember(partPath, `is nested deeper than ${deepest} levels.`, 'Flatten it.');
    const kind = kindOf(part, partPath);
    const inner = part[kind] ?? null;
    if (kind === 'not') return { not: fit(inner, `${partPath}.not`, depth + 1) };
    if (kind === 'field') return fitLeaf(part, partPath);
    const items = listOf(`${partPath}.${kind}`, inner);
    if (items.length === 0)
      throw badMember(`${partPath}.${kind}`, 'is empty.', 'Add at least one condition.');
    const parts = items.map((item, index) => fit(item, `${partPath}.${kind}[${index}]`, depth + 1));
    return kind === 'all' ? { all: parts } : { any: parts };
  }

  function fitLeaf(part: JsonObject, partPath: string): Condition {
    if (++leaves > maxLeaves)
      throw badMember(path, `has more than ${maxLeaves} comparisons.`, 'Use fewer comparisons.');
    const field = fitField(context, part['field'] ?? null, `${partPath}.field`);
    const is = fitChoice(`${partPath}.is`, part['is'], comparisons);
    const built = buildComparison(field, is, part['value'], context.clock);
    if ('condition' in built) return built.condition;
    const hint = `The type of "${field.name}" is ${field.type}.`;
    throw badMember(`${partPath}.value`, `is invalid: ${built.fault}`, hint);
  }
}

const kinds = ['all', 'any', 'not', 'field'] as const;

function kindOf(part: JsonObject, path: string): (typeof kinds)[number] {
  const names = Object.keys(part).filter((name) => part[name] !== null);
  const kind = kinds.find((one) => names.includes(one));
  if (kind === undefined) throw badMember(path, 'is empty.', form);
  const allowed: readonly string[] = kind === 'field' ? ['field', 'is', 'value'] : [kind];
  const stray = names.find((name) => !allowed.includes(name));
  if (stray === undefined) return kind;
  throw badMember(`${path}.${stray}`, `cannot be combined with "${kind}".`, form);
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

/** Creates an error for a missing property, or for one that is not of the right type. */
export function wrongType(path: string, given: Json, type: string, hint: string): AgentError {
  return badMember(path, given === null ? 'is missing.' : `must be ${type}, not ${quote(given)}.`, hint);
}

/** Returns the value if it is one of the choices. Throws otherwise. */
export function fitChoice<Choice extends string>(
  path: string,
  given: Json | undefined,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === given);
  if (found !== undefined) return found;
  const near = typeof given === 'string' ? didYouMean(given, choices) : undefined;
  const fault = given === undefined || given === null ? 'is missing.' : `cannot be ${quote(given)}.`;
  throw badMember(path, fault, near ?? `Use one of ${choices.join(', ')}.`);
}

/** Finds a field by name or alias. Throws if there is none. */
export function fitField({ table }: FitContext, given: Json, path: string): Field {
  const names = table.fields.map(({ name }) => name);
  const hint = `The fields are ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}.`;
  if (typeof given !== 'string' || given === '') throw badMember(path, 'must be the name of a field.', hint);
  const field = table.find(given);
  if (field !== undefined) return field;
  const fault = `cannot be ${quote(given)}, which is not a field of ${table.name}.`;
  throw badMember(path, fault, didYouMean(given, names) ?? hint);
}

/** Returns the value if it is a list. Throws otherwise. */
export function listOf(path: string, given: Json): readonly Json[] {
  if (Array.isArray(given)) return given as readonly Json[];
  throw wrongType(path, given, 'a list', 'Put the list in square brackets.');
}
