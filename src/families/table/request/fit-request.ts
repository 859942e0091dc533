import {
  AgentError,
  didYouMean,
  isJsonObject,
  quote,
  type Json,
  type JsonObject,
} from '../../../core/index.ts';
import { comparisons, type Condition } from '../../../engines/conditions/conditions.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import { isOrdered } from '../../../engines/values/types.ts';
import { readValue } from '../read-value.ts';
import type { Field, Table } from '../table.ts';
import { buildComparison } from './build-comparison.ts';
import { mayMeasure, measures, operations, requestLimits, type TableRequest } from './request.ts';

/** The properties that each operation takes. Those with `!` are required. */
const members: Readonly<Record<TableRequest['operation'], string>> = {
  list: 'where fields sort limit offset last',
  show: 'where!',
  count: 'where',
  sum: 'field! where',
  average: 'field! where',
  minimum: 'field! where',
  maximum: 'field! where',
  group: 'by! measure! field where direction limit',
  add: 'records! partial',
  update: 'where set! many partial',
  delete: 'where many partial',
  import: 'file! format partial',
  export: 'file! format where fields sort',
  undo: '',
  fields: '',
  next: '',
  previous: '',
};

type Fit = (context: FitContext, given: Json, path: string) => unknown;

/** Functions that validate each property. */
const fitters = {
  where: fitCondition,
  fields: fitFields,
  sort: (context, given, path) =>
    listOf(path, given).map((one, index) => fitSort(context, one, `${path}[${index}]`)),
  limit: (_context, given, path) => fitCount(path, given, 1, requestLimits.maxRows),
  offset: (_context, given, path) => fitCount(path, given, 0, requestLimits.maxSkipped),
  last: fitFlag,
  field: (context, given, path) => fitField(context, given, path).name,
  by: fitOrdered,
  measure: (_context, given, path) => fitChoice(path, given, measures),
  direction: (_context, given, path) => fitChoice(path, given, ['up', 'down']),
  records: fitRecords,
  set: fitSet,
  many: fitFlag,
  partial: fitFlag,
  file: fitText,
  format: (_context, given, path) => fitChoice(path, given, ['csv', 'json']),
} satisfies Readonly<Record<string, Fit>>;

/**
 * Validates a request from a program or a model and converts its values. Throws `usage.bad-input`, naming the
 * invalid property.
 */
export function fitRequest(table: Table, given: Json, clock: LocalClock): TableRequest {
  if (!isJsonObject(given)) {
    const hint = 'Write, for example, {"operation": "list", "limit": 20}.';
    throw new AgentError('usage.bad-input', `A request must be an object, not ${quote(given)}.`, { hint });
  }
  const context: FitContext = { table, clock };
  const operation = fitChoice('operation', given['operation'], operations);
  const taken = members[operation].split(' ').filter((name) => name !== '');
  const names = taken.map((name) => name.replace('!', ''));
  const stray = Object.keys(given).find((name) => name !== 'operation' && !names.includes(name));
  if (stray !== undefined) throw strayMember(stray, operation, names);
  const request: Record<string, Json> = { operation };
  for (const name of names as readonly (keyof typeof fitters)[]) {
    const one = given[name] ?? null;
    if (one === null && !taken.includes(`${name}!`)) continue;
    const value = fitters[name](context, one, name);
    if (value !== undefined) request[name] = value;
  }
  checkMeasure(context, request);
  return request as unknown as TableRequest;
}

function strayMember(name: string, operation: string, known: readonly string[]): AgentError {
  const takes =
    known.length === 0 ? 'This operation takes no other properties.' : `It takes ${known.join(', ')}.`;
  const message = `${quote(name)} is not a valid property of a request to ${operation}.`;
  return new AgentError('usage.bad-input', message, { hint: didYouMean(name, known) ?? takes });
}

/** Checks that a field to measure is named and has a suitable type. */
function checkMeasure({ table }: FitContext, request: Readonly<Record<string, Json>>): void {
  const kind = request['operation'] === 'group' ? request['measure'] : request['operation'];
  const measured = measures.find((one) => one === kind);
  const named = typeof request['field'] === 'string' ? table.find(request['field']) : undefined;
  if (measured === undefined || (measured === 'count' && named === undefined)) return;
  if (measured === 'count') throw badMember('field', 'cannot be combined with "count".', 'Omit it.');
  if (named === undefined)
    throw badMember('field', 'is missing.', `Name the field to use for the ${measured}.`);
  if (mayMeasure(measured, named.type)) return;
  const fault = `cannot be used for the ${measured}: the type of "${named.name}" is ${named.type}.`;
  throw badMember('field', fault, 'Choose a field that contains numbers.');
}

function fitFields(context: FitContext, given: Json, path: string): readonly string[] {
  const names = listOf(path, given).map((one, index) => fitField(context, one, `${path}[${index}]`).name);
  if (names.length === 0) throw badMember(path, 'is empty.', 'Name at least one field, or omit the list.');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw badMember(path, `names "${twice}" twice.`, 'Name it once.');
  return names;
}

function fitSort(context: FitContext, given: Json, path: string): JsonObject {
  if (typeof given === 'string') return { field: fitOrdered(context, given, path), direction: 'up' };
  if (!isJsonObject(given))
    throw wrongType(path, given, 'an object', 'Write {"field": …, "direction": "up"}.');
  const { field = null, direction = 'up', ...others } = given;
  const [stray] = Object.keys(others);
  if (stray !== undefined)
    throw badMember(`${path}.${stray}`, 'is not known.', 'Use only "field" and "direction".');
  return {
    field: fitOrdered(context, field, `${path}.field`),
    direction: fitChoice(`${path}.direction`, direction, ['up', 'down']),
  };
}

function fitOrdered(context: FitContext, given: Json, path: string): string {
  const { name, type } = fitField(context, given, path);
  if (isOrdered(type)) return name;
  const fault = `cannot be used for sorting: the type of "${name}" is ${type}.`;
  throw badMember(path, fault, 'Choose another field.');
}

function fitCount(path: string, given: Json, least: number, most: number): number {
  if (typeof given === 'number' && Number.isInteger(given) && given >= least && given <= most) return given;
  const range = `Use a whole number from ${least} to ${most.toLocaleString('en-US')}.`;
  throw badMember(path, `cannot be ${quote(given)}.`, range);
}

function fitFlag(_context: FitContext, given: Json, path: string): true | undefined {
  if (typeof given === 'boolean') return given ? true : undefined;
  throw wrongType(path, given, 'true or false', 'To use false, omit this property.');
}

function fitText(_context: FitContext, given: Json, path: string): string {
  if (typeof given === 'string' && given.trim() !== '') return given;
  throw wrongType(path, given, 'a string', 'Pass a string.');
}

const maxRecords = 10_000;

function fitRecords(context: FitContext, given: Json, path: string): readonly JsonObject[] {
  const items = isJsonObject(given) ? [given] : listOf(path, given);
  if (items.length === 0) throw badMember(path, 'is empty.', 'Add at least one record.');
  if (items.length > maxRecords)
    throw badMember(path, `has ${items.length} records.`, 'Pass at most 10,000 records, or import a file.');
  return items.map((item, index) => fitRecord(context, item, `${path}[${index}]`, true));
}

function fitSet(context: FitContext, given: Json, path: string): JsonObject {
  const set = fitRecord(context, given, path, false);
  if (Object.keys(set).length > 0) return set;
  throw badMember(path, 'is empty.', 'Pass the values to change.');
}

/** Validates a record's values. They cannot be computed ones, or the key of an existing record. */
function fitRecord(context: FitContext, given: Json, path: string, isNew: boolean): JsonObject {
  if (!isJsonObject(given)) throw wrongType(path, given, 'an object', 'Write {"field": value}.');
  const record: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given)) {
    const memberPath = `${path}.${name}`;
    const field = fitField(context, name, memberPath);
    if (Object.hasOwn(record, field.name))
      throw badMember(memberPath, `refers to "${field.name}", which appears twice.`, 'Use it once.');
    if (field.derivator !== undefined)
      throw badMember(memberPath, 'is computed from other fields and cannot be set.', 'Omit it.');
    if (!isNew && field.key !== undefined)
      throw badMember(memberPath, 'identifies the record and cannot be changed.', 'Omit it.');
    record[field.name] = fitValue(context, field, value, memberPath);
  }
  return record;
}

function fitValue({ clock }: FitContext, field: Field, value: Json, path: string): Json {
  const read = readValue(field, value, clock);
  if ('value' in read) return read.value;
  if (field.resolver !== undefined) return value; // The resolver's code will parse the value.
  throw badMember(path, `is invalid: ${read.fault}`, `The type of "${field.name}" is ${field.type}.`);
}

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
  readonly clock: LocalClock;
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
