import { AgentError, asText, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';

/** A result that may be referred to. */
export interface Result {
  readonly text: string;
  readonly value?: Json;
}

/** Results by name. */
export type Results = Readonly<Record<string, Result>>;

/** What a model is told about them. */
export const explainReferences =
  'Each result of a tool has a name, shown as [$$name] in front of it. Instead of repeating a result, give $$name ' +
  '(or $$name.member for a part of it) as an argument or inside one: the tool gets the whole result in its place.';

const reference = /\$\$([a-zA-Z0-9_-]*[a-zA-Z0-9_])((?:\.[a-zA-Z0-9_]+)*)/g;
const whole = new RegExp(`^${reference.source}$`);
const mostPutIn = 4_000_000; // characters of results in one input; a larger one could not be kept

/** Whether anywhere in an input the name of a result stands. */
export function isReferring(input: Json, find: (name: string) => Result | undefined): boolean {
  if (typeof input === 'string') {
    return [...input.matchAll(reference)].some(([, name = '']) => find(name) !== undefined);
  }
  return typeof input === 'object' && input !== null
    ? Object.values(input).some((inner: Json) => isReferring(inner, find))
    : false;
}

/**
 * The input of a call with results in the place of their names. An argument that is nothing but a name becomes the
 * value, or the text where the schema wants one; inside a longer text the text is put. What is put in is not looked
 * through again. Throws `usage.bad-input` for an argument that is nothing but an unknown name.
 */
export function resolveReferences(
  input: Json,
  find: (name: string) => Result | undefined,
  schema: JsonObject,
): Json {
  let room = mostPutIn;
  const put = <Part extends Json>(part: Part): Part => {
    room -= typeof part === 'string' ? part.length : JSON.stringify(part).length;
    if (room < 0) throw tooLarge();
    return part;
  };
  const resolve = (given: Json, wanted: JsonObject): Json => {
    if (typeof given === 'string') return resolveText(given, find, wanted, put);
    if (Array.isArray(given)) {
      return given.map((item: Json, index) => resolve(item, memberSchema(wanted, index)));
    }
    if (!isJsonObject(given)) return given;
    const members = Object.entries(given).map(([key, value]) => [
      key,
      resolve(value, memberSchema(wanted, key)),
    ]);
    return Object.fromEntries(members) as JsonObject;
  };
  return resolve(input, schema);
}

function resolveText(
  text: string,
  find: (name: string) => Result | undefined,
  schema: JsonObject,
  put: <Part extends Json>(part: Part) => Part,
): Json {
  if (!text.includes('$$')) return text;
  const [, name = '', path = ''] = whole.exec(text.trim()) ?? [];
  if (name === '') {
    return text.replace(reference, (all: string, inner: string, below: string) => {
      const result = find(inner);
      return result === undefined ? all : put(textInside(result, below)); // it may mean something else
    });
  }
  const found = partOf(find(name), path);
  if (found === undefined) throw unknown(`$$${name}${path}`);
  const { value } = found;
  return put(value === undefined || wantsText(schema, value) ? textOf(found) : value);
}

/** What stands inside a text where a reference stood; from where there is no such member, the dot ended a sentence. */
function textInside(result: Result, path: string): string {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const part = partOf(result, path.slice(0, end));
    if (part !== undefined) return textOf(part) + path.slice(end);
  }
  return textOf(result) + path;
}

function partOf(result: Result | undefined, path: string): Result | undefined {
  if (result === undefined || path === '') return result;
  let value: Json | undefined = result.value;
  for (const key of path.slice(1).split('.')) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = isThere ? (value as JsonObject)[key] : undefined;
  }
  return value === undefined ? undefined : { text: asText(value), value };
}

function textOf({ text, value }: Result): string {
  return text === '' && value !== undefined ? JSON.stringify(value) : text;
}

function unknown(name: string): AgentError {
  return new AgentError('usage.bad-input', `There is no result ${name}.`, {
    hint: 'Use a name that stands in front of an earlier result, or give the text itself.',
  });
}

function tooLarge(): AgentError {
  const most = mostPutIn.toLocaleString('en');
  return new AgentError('limit.too-large', `The results in this input have more than ${most} characters.`, {
    hint: 'Refer to fewer results, or to members of them.',
  });
}

/** The schema of a member of an object or of an item of an array; an empty one where nothing is said about it. */
function memberSchema(schema: JsonObject, key: string | number): JsonObject {
  const members = schema['properties'];
  const own = isJsonObject(members) && Object.hasOwn(members, key) ? members[key] : undefined;
  const wanted = typeof key === 'number' ? schema['items'] : (own ?? schema['additionalProperties']);
  return isJsonObject(wanted) ? wanted : {};
}

/** Whether a schema takes a text, and not a value of this kind. */
function wantsText(schema: JsonObject, value: Json): boolean {
  const types = typesIn(schema);
  const own = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return types.includes('string') && !types.includes(own) && !(own === 'number' && types.includes('integer'));
}

function typesIn({ type = [], anyOf = [], oneOf = [] }: JsonObject): readonly Json[] {
  const branches = [anyOf, oneOf].flat().filter((branch) => isJsonObject(branch));
  return [type, ...branches.map((branch) => branch['type'] ?? [])].flat();
}
