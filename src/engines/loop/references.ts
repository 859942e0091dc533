import { AgentError, asText, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';

/** A result that can be referenced. */
export interface LoopResult {
  readonly text: string;
  readonly value?: Json;
}

/** Results keyed by name. */
export type LoopResults = Readonly<Record<string, LoopResult>>;

/** Instructions that explain references to a model. */
export const explainReferences =
  'Each tool result has a name, shown as [$$name] before it. Instead of repeating a result, pass $$name ' +
  '(or $$name.member for a part of it) as an argument or inside one: the tool receives the whole result.';

const reference = /\$\$([a-zA-Z0-9_-]*[a-zA-Z0-9_])((?:\.[a-zA-Z0-9_]+)*)/g;
const whole = new RegExp(`^${reference.source}$`);
// The maximum number of characters to insert into an input. A larger input could not be stored.
const maxPutIn = 4_000_000;

/** Whether an input refers to a known result. */
export function isReferring(input: Json, find: (name: string) => LoopResult | undefined): boolean {
  return namesIn(input).some((name) => find(name) !== undefined);
}

/** Returns the names of results to which an input refers. */
export function namesIn(input: Json): readonly string[] {
  if (typeof input === 'string') return [...input.matchAll(reference)].map(([, name = '']) => name);
  return typeof input === 'object' && input !== null
    ? Object.values(input).flatMap((inner: Json) => namesIn(inner))
    : [];
}

/**
 * Replaces references in a call's input with results. An argument that consists only of a reference becomes
 * the result's value, or its text if the schema requires text. Inside longer text, the result's text is
 * inserted. Inserted text is not searched for references. Throws `usage.bad-input` if an argument that
 * consists only of a reference names an unknown result.
 */
export function resolveReferences(
  input: Json,
  find: (name: string) => LoopResult | undefined,
  schema: JsonObject,
): Json {
  let room = maxPutIn;
  const put = <Part extends Json>(part: Part): Part => {
    room -= typeof part === 'string' ? part.length : JSON.stringify(part).length;
    if (room < 0) throw tooLarge();
    return part;
  };
  const resolve = (given: Json, expected: JsonObject): Json => {
    if (typeof given === 'string') return resolveText(given, find, expected, put);
    if (Array.isArray(given)) {
      return given.map((item: Json, index) => resolve(item, memberSchema(expected, index)));
    }
    if (!isJsonObject(given)) return given;
    const members = Object.entries(given).map(([key, value]) => [
      key,
      resolve(value, memberSchema(expected, key)),
    ]);
    return Object.fromEntries(members) as JsonObject;
  };
  return resolve(input, schema);
}

function resolveText(
  text: string,
  find: (name: string) => LoopResult | undefined,
  schema: JsonObject,
  put: <Part extends Json>(part: Part) => Part,
): Json {
  if (!text.includes('$$')) return text;
  const [, name = '', path = ''] = whole.exec(text.trim()) ?? [];
  if (name === '') {
    return text.replace(reference, (all: string, inner: string, below: string) => {
      const result = find(inner);
      // Inside longer text, an unknown name may be ordinary prose.
      return result === undefined ? all : put(textInside(result, below));
    });
  }
  const found = partOf(find(name), path);
  if (found === undefined) throw unknown(`$$${name}${path}`);
  const { value } = found;
  return put(value === undefined || acceptsText(schema, value) ? textOf(found) : value);
}

/**
 * Returns the text to insert for a reference inside longer text. If there is no property with the name after
 * the dot, the dot is treated as punctuation.
 */
function textInside(result: LoopResult, path: string): string {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const part = partOf(result, path.slice(0, end));
    if (part !== undefined) return textOf(part) + path.slice(end);
  }
  return textOf(result) + path;
}

function partOf(result: LoopResult | undefined, path: string): LoopResult | undefined {
  if (result === undefined || path === '') return result;
  let value: Json | undefined = result.value;
  for (const key of path.slice(1).split('.')) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = isThere ? (value as JsonObject)[key] : undefined;
  }
  return value === undefined ? undefined : { text: asText(value), value };
}

function textOf({ text, value }: LoopResult): string {
  return text === '' && value !== undefined ? JSON.stringify(value) : text;
}

function unknown(name: string): AgentError {
  return new AgentError('usage.bad-input', `Unknown result ${name}.`, {
    hint: 'Use the name of an earlier result, or pass the text itself.',
  });
}

function tooLarge(): AgentError {
  const most = maxPutIn.toLocaleString('en');
  return new AgentError('limit.too-large', `The results in this input have more than ${most} characters.`, {
    hint: 'Refer to fewer results, or only to parts of them.',
  });
}

/**
 * Returns the schema of a property or a list item. Returns an empty schema if the property or item is not
 * described.
 */
function memberSchema(schema: JsonObject, key: string | number): JsonObject {
  const members = schema['properties'];
  const own = isJsonObject(members) && Object.hasOwn(members, key) ? members[key] : undefined;
  const member = typeof key === 'number' ? schema['items'] : (own ?? schema['additionalProperties']);
  return isJsonObject(member) ? member : {};
}

/** Whether a schema accepts text but not values of this type. */
function acceptsText(schema: JsonObject, value: Json): boolean {
  const types = typesIn(schema);
  const own = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return types.includes('string') && !types.includes(own) && !(own === 'number' && types.includes('integer'));
}

function typesIn({ type = [], anyOf = [], oneOf = [] }: JsonObject): readonly Json[] {
  const branches = [anyOf, oneOf].flat().filter((branch) => isJsonObject(branch));
  return [type, ...branches.map((branch) => branch['type'] ?? [])].flat();
}
