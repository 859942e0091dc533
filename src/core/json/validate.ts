import { Script, createContext, type Context } from 'node:vm';
import { mapValues } from '../collections.ts';
import { reasonOf } from '../crash-reason.ts';
import { AgentError } from '../error.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { zod } from '../package-files.ts';
import type { Scope } from '../scope.ts';

/**
 * The accepted value or the reason for its rejection. This is a type alias because an interface is not
 * assignable to `Json`.
 */
export type ResultVerdict = { readonly value?: Json; readonly fault?: string };

/**
 * Checks a value against a schema and against the caller's own check. Records the verdict under `key`, so
 * that a replay returns the same verdict.
 */
export function judgeResult(
  { request: { overrides }, step }: Scope,
  key: string,
  what: string,
  schema: JsonObject,
  value: Json,
): Promise<ResultVerdict> {
  const { check = (fitting: Json) => fitting } = overrides;
  return step<ResultVerdict>(key, async () => {
    try {
      return { value: await check(fitSchema(what, schema, value)) };
    } catch (thrown) {
      return { fault: reasonOf(thrown) };
    }
  });
}

/**
 * Checks a value against a JSON Schema and fills in defaults. Throws a `usage.bad-input` error that lists
 * every problem.
 */
export function fitSchema(subject: Subject, schema: JsonObject, value: Json): Json {
  const { success, data, error } = check(subjectText(subject), schema, value);
  if (success) return data as Json;
  throw badInput(subject, error.issues, value);
}

type Schema = ReturnType<ReturnType<typeof zod>['z']['fromJSONSchema']>;

const cache = new WeakMap<JsonObject, Schema>();

/** Compiles a JSON Schema, once per schema object. Throws `skill.invalid` if the schema cannot be read. */
export function schemaFor(what: string, schema: JsonObject): Schema {
  const before = cache.get(schema);
  if (before !== undefined) return before;
  try {
    const now = zod().z.fromJSONSchema(withRequired(schema));
    cache.set(schema, now);
    return now;
  } catch (thrown) {
    throw unusable(`The JSON Schema of ${what} cannot be read: ${reasonOf(thrown)}`, thrown);
  }
}

const patience = 1000; // The time limit for a check, in milliseconds.

/**
 * Checks a value under a time limit, because patterns and recursive references can make a check take too
 * long.
 */
function check(what: string, schema: JsonObject, value: Json): ReturnType<Schema['safeParse']> {
  const ready = schemaFor(what, schema);
  if (!mayBeSlow(schema)) return ready.safeParse(value);
  try {
    return stopLate(patience, () => ready.safeParse(value));
  } catch (thrown) {
    const message = `Checking ${what} against its JSON Schema took too long: ${reasonOf(thrown)}`;
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

// JSON Schema keywords whose values are plain data, and keywords whose values map names to schemas.
const plain: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);
const named: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/**
 * Adds required properties to `properties` if they are missing there, because the schema library would
 * otherwise ignore them. Pure.
 */
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

let context: Context | undefined;
let program: Script | undefined;

/** Runs a function on untrusted text under a time limit. Throws if the limit is exceeded. */
export function stopLate<Value>(milliseconds: number, work: () => Value): Value {
  context ??= createContext(Object.create(null) as Context);
  program ??= new Script('work()');
  context['work'] = work;
  return program.runInContext(context, { timeout: milliseconds }) as Value;
}

/** A problem with a value, as the schema library reports it. */
interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The value being checked: the name of a skill whose input it is, or a description of any other value. */
type Subject = string | { readonly skill: string };

/** Returns a description of the value that is checked, for use in messages. */
export function subjectText(subject: Subject): string {
  return typeof subject === 'string' ? subject : `the input for "${subject.skill}"`;
}

/**
 * Creates the error for a value that does not fit its schema. The message lists each problem with its path,
 * and the hint names the properties to add or correct.
 */
export function badInput(subject: Subject, all: readonly Fault[], value: unknown): AgentError {
  const what = typeof subject === 'string' ? subject.replace(/^the /, '') : `input for "${subject.skill}"`;
  const found = all.slice(0, most);
  const faults = found.map((fault) => describeFault(fault, value));
  const more = all.length > most ? [`and ${all.length - most} more`] : [];
  const message = `Invalid ${what}: ${[...faults, ...more].join('; ')}.`;
  return new AgentError('usage.bad-input', message, {
    hint: hintFor(found),
    details: { faults, ...(typeof subject === 'string' ? {} : subject) },
  });
}

// The maximum number of listed problems, and the maximum length of each in characters. Both are limited
// because a schema can list a hundred thousand values.
const most = 50;
const longest = 1000;

function hintFor(found: readonly Fault[]): string {
  const pathList = (faults: readonly Fault[]): string =>
    [...new Set(faults.filter(({ path }) => path.length > 0).map(({ path }) => pathText(path)))].join(', ');
  const missing = pathList(found.filter(isMissing));
  const wrong = pathList(found.filter((fault) => !isMissing(fault)));
  const steps = [missing === '' ? '' : `Add ${missing}.`, wrong === '' ? '' : `Correct ${wrong}.`];
  return steps.filter((step) => step !== '').join(' ') || 'Correct the value.';
}

function pathText(path: readonly PropertyKey[]): string {
  return cut(path.map(String).join('.'));
}

const wrongKind = /^Invalid input: expected (\w+), received (\w+)$/;

function isMissing({ message }: Fault): boolean {
  return wrongKind.exec(message)?.[2] === 'undefined';
}

/** Describes the most common validation problems in a short sentence. Leaves other messages unchanged. */
function describeFault({ path, message }: Fault, value: unknown): string {
  const [, expected, received] = wrongKind.exec(message) ?? [];
  const where = path.length === 0 ? undefined : pathText(path);
  if (expected === undefined || received === undefined)
    return where === undefined ? cut(message) : `${where}: ${cut(message)}`;
  if (received === 'undefined')
    return `${where ?? 'a value'} is required${expected === 'nonoptional' ? '' : ` (${kinds[expected] ?? expected})`}`;
  if (expected === 'never') return `${where ?? 'a value'} is not allowed`;
  const number = expected === 'int' ? valueAt(value, path) : undefined;
  const actual = typeof number === 'number' ? String(number) : withArticle(kinds[received] ?? received);
  return `${where ?? 'it'} must be ${withArticle(kinds[expected] ?? expected)}, not ${actual}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (parent, key) => (parent as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[key],
    value,
  );
}

function withArticle(kind: string): string {
  if (kind === 'null' || kind === 'NaN') return kind;
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…`.toWellFormed() : text;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  int: 'whole number',
  boolean: 'boolean',
  array: 'list',
  tuple: 'list',
  object: 'object',
  record: 'object',
};
