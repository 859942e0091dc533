import { AgentError, didYouMean, isJsonObject, type Json, type JsonObject } from '../../../core/index.ts';
import type { Table, TableClock } from '../table.ts';
import { quote } from '../values/quote.ts';
import { readValue } from '../values/read-value.ts';
import { isOrdered, mayMeasure } from './comparisons-of.ts';
import { fitCondition } from './fit-condition.ts';
import {
  badMember,
  fitCount,
  fitField,
  fitText,
  fitTruth,
  fitWord,
  listOf,
  type FitGround,
} from './fit-member.ts';
import { requestLimits } from './request-limits.ts';
import { measures, operations } from './request-words.ts';
import type { TableRequest } from './request.ts';

/** A request that a program or a model made, checked and with values in their forms. Throws `usage.bad-input` that names the member. */
export function fitRequest(table: Table, given: Json, clock: TableClock): TableRequest {
  if (!isJsonObject(given)) {
    throw new AgentError('usage.bad-input', `A request is an object, not ${quote(given)}.`, {
      hint: example,
    });
  }
  const ground: FitGround = { table, clock };
  const operation = fitWord('operation', given['operation'], operations);
  const fitters = members[operation];
  for (const name of Object.keys(given)) {
    if (name !== 'operation' && !Object.hasOwn(fitters, name))
      throw strayMember(name, operation, Object.keys(fitters));
  }
  const request: Record<string, Json> = { operation };
  for (const [name, fit] of Object.entries(fitters)) {
    const isGiven = Object.hasOwn(given, name) && given[name] !== null;
    if (!isGiven && required[operation]?.includes(name) !== true) continue;
    const value = fit(ground, given[name] ?? null, name);
    if (value !== undefined) request[name] = value as Json;
  }
  checkMeasure(ground, request);
  return request as unknown as TableRequest;
}

const example = 'Write for example {"operation": "list", "limit": 20}.';

type Fit = (ground: FitGround, given: Json, path: string) => unknown;
type Members = Readonly<Record<string, Fit>>;

const where: Fit = (ground, given, path) => fitCondition(ground, given, path);
const fields: Fit = (ground, given, path) =>
  distinct(
    path,
    listOf(path, given).map((one, index) => fitField(ground, one, `${path}[${index}]`).name),
  );
const sort: Fit = (ground, given, path) =>
  listOf(path, given).map((one, index) => fitSort(ground, one, `${path}[${index}]`));
const limit: Fit = (_ground, given, path) => fitCount(path, given, 1, requestLimits.mostRows);
const offset: Fit = (_ground, given, path) => fitCount(path, given, 0, requestLimits.mostSkipped);
const field: Fit = (ground, given, path) => fitField(ground, given, path).name;
const by: Fit = (ground, given, path) => fitOrdered(ground, given, path);
const measure: Fit = (_ground, given, path) => fitWord(path, given, measures);
const direction: Fit = (_ground, given, path) => fitWord(path, given, ['up', 'down']);
const truth: Fit = (_ground, given, path) => (fitTruth(path, given) ? true : undefined);
const file: Fit = (_ground, given, path) => fitText(path, given);
const format: Fit = (_ground, given, path) => fitWord(path, given, ['csv', 'json']);
const set: Fit = (ground, given, path) => fitRecord(ground, given, path, false);
const records: Fit = (ground, given, path) => fitRecords(ground, given, path);

const measured: Members = { field, where };
const nothing: Members = {};

const members: Readonly<Record<TableRequest['operation'], Members>> = {
  list: { where, fields, sort, limit, offset },
  show: { where },
  count: { where },
  sum: measured,
  average: measured,
  minimum: measured,
  maximum: measured,
  group: { by, measure, field, where, direction, limit },
  add: { records, partial: truth },
  update: { where, set, many: truth, partial: truth },
  delete: { where, many: truth, partial: truth },
  import: { file, format, partial: truth },
  export: { file, format, where, fields, sort },
  undo: nothing,
  fields: nothing,
  next: nothing,
  previous: nothing,
};

const required: Readonly<Partial<Record<TableRequest['operation'], readonly string[]>>> = {
  show: ['where'],
  sum: ['field'],
  average: ['field'],
  minimum: ['field'],
  maximum: ['field'],
  group: ['by', 'measure'],
  add: ['records'],
  update: ['set'],
  import: ['file'],
  export: ['file'],
};

function strayMember(name: string, operation: string, known: readonly string[]): AgentError {
  const hint =
    didYouMean(name, known) ?? (known.length === 0 ? 'It takes no others.' : `It takes ${known.join(', ')}.`);
  return new AgentError('usage.bad-input', `${quote(name)} is not a member of a request to ${operation}.`, {
    hint,
  });
}

function fitSort(ground: FitGround, given: Json, path: string): JsonObject {
  if (typeof given === 'string') return { field: fitOrdered(ground, given, path), direction: 'up' };
  if (!isJsonObject(given))
    throw badMember(
      path,
      `must be an object, not ${quote(given)}.`,
      'Write {"field": …, "direction": "up"}.',
    );
  const stray = Object.keys(given).find((name) => name !== 'field' && name !== 'direction');
  if (stray !== undefined)
    throw badMember(`${path}.${stray}`, 'is not known.', 'An order has "field" and "direction".');
  return {
    field: fitOrdered(ground, given['field'] ?? null, `${path}.field`),
    direction:
      given['direction'] === undefined
        ? 'up'
        : fitWord(`${path}.direction`, given['direction'], ['up', 'down']),
  };
}

function fitOrdered(ground: FitGround, given: Json, path: string): string {
  const { name, type } = fitField(ground, given, path);
  if (isOrdered(type)) return name;
  throw badMember(path, `has no order: "${name}" is of the type ${type}.`, 'Name another field.');
}

const mostRecords = 10_000;

function fitRecords(ground: FitGround, given: Json, path: string): readonly JsonObject[] {
  const items = isJsonObject(given) ? [given] : listOf(path, given);
  if (items.length === 0) throw badMember(path, 'is empty.', 'Give at least one record.');
  if (items.length > mostRecords)
    throw badMember(path, `has ${items.length} records.`, 'Give at most 10,000, or import a file.');
  return items.map((item, index) => fitRecord(ground, item, `${path}[${index}]`, true));
}

function distinct(path: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) throw badMember(path, 'is empty.', 'Name fields, or leave it away.');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw badMember(path, `names "${twice}" twice.`, 'Name it once.');
  return names;
}

/** What is measured must be there, and of a type that can be. */
function checkMeasure({ table }: FitGround, request: Readonly<Record<string, Json>>): void {
  const kind = request['operation'] === 'group' ? request['measure'] : request['operation'];
  const measured = measures.find((one) => one === kind);
  if (measured === undefined) return;
  const named = typeof request['field'] === 'string' ? table.find(request['field']) : undefined;
  if (measured === 'count') {
    if (named !== undefined) throw badMember('field', 'does not go with "count".', 'Leave it away.');
    return;
  }
  if (named === undefined)
    throw badMember('field', 'is missing.', `Name the field that the ${measured} is of.`);
  if (!mayMeasure(measured, named.type))
    throw badMember(
      'field',
      `has no ${measured}: "${named.name}" is of the type ${named.type}.`,
      'Name a field with numbers.',
    );
}

/** Values by the names of fields; derived ones, and the key of a record that there is, cannot be given. */
function fitRecord(ground: FitGround, given: Json, path: string, isNew: boolean): JsonObject {
  if (!isJsonObject(given)) {
    throw badMember(
      path,
      given === null ? 'is missing.' : `must be an object, not ${quote(given)}.`,
      'Write {"field": value}.',
    );
  }
  const record: Record<string, Json> = {};
  for (const [name, value] of Object.entries(given)) {
    const place = `${path}.${name}`;
    const field = fitField(ground, name, place);
    if (Object.hasOwn(record, field.name))
      throw badMember(place, `is "${field.name}", which is given twice.`, 'Give it once.');
    if (field.derivator !== undefined) {
      throw badMember(place, 'is worked out from other fields and cannot be given.', 'Leave it away.');
    }
    if (!isNew && field.key !== undefined)
      throw badMember(place, 'identifies the record and cannot be changed.', 'Leave it away.');
    const read = readValue(field, value, ground.clock);
    if ('value' in read) record[field.name] = read.value;
    else if (field.resolver !== undefined)
      record[field.name] = value; // code that knows how people say it looks at it
    else
      throw badMember(place, `does not fit: ${read.fault}`, `"${field.name}" is of the type ${field.type}.`);
  }
  if (!isNew && Object.keys(record).length === 0) throw badMember(path, 'is empty.', 'Say what changes.');
  return record;
}
