import { Script, createContext, type Context } from 'node:vm';
import { mapValues } from '../collections.ts';
import { AgentError, reasonOf } from '../error.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { zod } from '../package-files.ts';
import type { Scope } from '../scope.ts';

/** A value as it is wanted, or what is wrong with it. A type and no interface, so that it is JSON. */
export type WantedVerdict = { readonly value?: Json; readonly fault?: string };

/** Whether a value fits a schema and what else the caller wants; kept under the key, so that a replay gives the same. */
export function wantedVerdict(
  { request: { wanted }, step }: Scope,
  key: string,
  what: string,
  schema: JsonObject,
  value: Json,
): Promise<WantedVerdict> {
  const { check = (fitting: Json) => fitting } = wanted;
  return step<WantedVerdict>(key, async () => {
    try {
      return { value: await check(fitSchema(what, schema, value)) };
    } catch (thrown) {
      return { fault: reasonOf(thrown) };
    }
  });
}

/** A value that fits a JSON Schema, with defaults filled in; throws `usage.bad-input` that names every fault. */
export function fitSchema(subject: Subject, schema: JsonObject, value: Json): Json {
  const { success, data, error } = check(subjectText(subject), schema, value);
  if (success) return data as Json;
  throw badInput(subject, error.issues);
}

type Schema = ReturnType<ReturnType<typeof zod>['z']['fromJSONSchema']>;

const made = new WeakMap<JsonObject, Schema>();

/** A JSON Schema ready for use; throws `skill.invalid` for one that cannot be read. */
export function schemaFor(what: string, schema: JsonObject): Schema {
  const before = made.get(schema);
  if (before !== undefined) return before;
  try {
    const now = zod().z.fromJSONSchema(withRequired(schema));
    made.set(schema, now);
    return now;
  } catch (thrown) {
    throw unusable(`The JSON Schema of ${what} cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

const patience = 1000; // milliseconds

/** A schema can ask for more work than there is time for, by a pattern or by parts that lead to each other. */
function check(what: string, schema: JsonObject, value: Json): ReturnType<Schema['safeParse']> {
  const ready = schemaFor(what, schema);
  if (!mayBeSlow(schema)) return ready.safeParse(value);
  try {
    return stopLate(patience, () => ready.safeParse(value));
  } catch (thrown) {
    const message = `The JSON Schema of ${what} asks for a check that does not come to an end: ${reasonOf(thrown)}`;
    throw unusable(message, thrown);
  }
}

const slow = new WeakMap<JsonObject, boolean>();

function mayBeSlow(schema: JsonObject): boolean {
  const known =
    slow.get(schema) ?? /"(?:pattern|patternProperties|\$\w*[rR]ef)":/.test(JSON.stringify(schema));
  slow.set(schema, known);
  return known;
}

function unusable(message: string, cause: unknown): AgentError {
  return new AgentError('skill.invalid', message, { hint: 'Correct the schema.', cause });
}

// Members whose value is data, and members that hold schemas by names of their own.
const plain: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** A JSON Schema in which everything that is required is also a property: the reader overlooks what is not. Pure. */
export function withRequired(schema: JsonObject): JsonObject {
  const whole = mapValues(schema, (value, key) => {
    if (plain.has(key)) return value;
    return named.has(key) && isJsonObject(value) ? mapValues(value, within) : within(value);
  });
  const { required, properties = {}, additionalProperties } = whole;
  if (!Array.isArray(required) || !isJsonObject(properties) || additionalProperties === false) return whole;
  const names = required.filter((name): name is string => typeof name === 'string');
  const missing = names.filter((name) => !Object.hasOwn(properties, name));
  if (missing.length === 0) return whole;
  const added = Object.fromEntries(missing.map((name) => [name, {}]));
  return { ...whole, properties: { ...properties, ...added } };
}

function within(value: Json): Json {
  if (Array.isArray(value)) return value.map(within);
  return isJsonObject(value) ? withRequired(value) : value;
}

let place: Context | undefined;
let program: Script | undefined;

/** Does work that the text of a stranger could make endless, and stops it after so many milliseconds: it throws then. */
export function stopLate<Value>(milliseconds: number, work: () => Value): Value {
  place ??= createContext(Object.create(null) as Context);
  program ??= new Script('work()');
  place['work'] = work;
  return program.runInContext(place, { timeout: milliseconds }) as Value;
}

/** One fault of a value, as schema libraries tell it. */
interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What a value is for: the input of a skill, or words for anything else. */
type Subject = string | { readonly skill: string };

/** The subject in words, for messages. */
export function subjectText(subject: Subject): string {
  return typeof subject === 'string' ? subject : `the input of "${subject.skill}"`;
}

/** The error for a value that does not fit its schema: each fault with its path, and in the hint the members to give or to correct. */
export function badInput(subject: Subject, all: readonly Fault[]): AgentError {
  const what = subjectText(subject);
  const found = all.slice(0, most);
  const faults = found.map(({ path, message }) =>
    path.length === 0 ? inWords(message) : `${placeOf(path)}: ${inWords(message)}`,
  );
  const more = all.length > most ? [`and ${all.length - most} more`] : [];
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} does not fit: ${[...faults, ...more].join('; ')}.`;
  return new AgentError('usage.bad-input', message, {
    hint: hintFor(found),
    details: { faults, ...(typeof subject === 'string' ? {} : subject) },
  });
}

const most = 50; // faults that are named
const longest = 1000; // characters of one: a schema may list a hundred thousand values

function hintFor(found: readonly Fault[]): string {
  const places = (faults: readonly Fault[]): string =>
    [...new Set(faults.filter(({ path }) => path.length > 0).map(({ path }) => placeOf(path)))].join(', ');
  const missing = places(found.filter(isMissing));
  const wrong = places(found.filter((fault) => !isMissing(fault)));
  const steps = [missing === '' ? '' : `Give ${missing}.`, wrong === '' ? '' : `Correct ${wrong}.`];
  return steps.filter((step) => step !== '').join(' ') || 'Correct it.';
}

function placeOf(path: readonly PropertyKey[]): string {
  return cut(path.map(String).join('.'));
}

const wrongKind = /^Invalid input: expected (\w+), received (\w+)$/;

function isMissing({ message }: Fault): boolean {
  return wrongKind.exec(message)?.[2] === 'undefined';
}

/** Plain words for what nearly all faults are about; any other message stays. */
function inWords(message: string): string {
  const [, expected, received] = wrongKind.exec(message) ?? [];
  if (expected === undefined || received === undefined) return cut(message);
  const wanted = kinds[expected] ?? expected;
  return received === 'undefined'
    ? `it is missing, and must be ${wanted}`
    : `it must be ${wanted}, not ${kinds[received] ?? received}`;
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…`.toWellFormed() : text;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};
