import {
  fitSchema,
  isAgentError,
  isJsonObject,
  type AgentError,
  type Json,
  type JsonObject,
} from '../../../core/index.ts';

/** Why a value does not fit a schema; undefined when it fits, and when the schema cannot be read: the command itself tells that. */
export function findMisfit(
  what: string,
  schema: JsonObject | undefined,
  value: Json,
): AgentError | undefined {
  if (schema === undefined || fitsAtSight(schema, value)) return undefined;
  try {
    fitSchema(what, schema, value);
    return undefined;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return thrown.code === 'usage.bad-input' ? thrown : undefined;
  }
}

/** Most places ask for one kind and nothing more, which needs no schema library. */
function fitsAtSight(schema: JsonObject, value: Json): boolean {
  return Object.entries(schema).every(([word, asked]) =>
    word === 'type' ? isOfType(value, asked) : saysNothing.has(word),
  );
}

function isOfType(value: Json, type: Json): boolean {
  const kind = kindOf(value);
  return kind === type || (kind === 'integer' && type === 'number');
}

const saysNothing: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', '$comment', '$defs', 'definitions'],
]);

const reference = /^#\/(\$defs|definitions)\/([^/]+)$/;

// Schemas may refer to themselves; below this depth everything is accepted.
const deepest = 8;

/** The kinds of value that JSON Schema tells apart. */
export type JsonKind = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';

/** What one place for an argument accepts. */
export interface Accepted {
  /** Absent when anything is accepted. */
  readonly schema?: JsonObject;
  /** Absent when the schema does not limit them. */
  readonly kinds?: ReadonlySet<JsonKind>;
  /** For the items of a list. */
  readonly items?: Accepted;
}

/** Reads what a schema accepts; `root` is the schema that it stands in, where its definitions are. Never throws. */
export function acceptedBy(schema: Json | undefined, root: JsonObject, depth = deepest): Accepted {
  if (!isJsonObject(schema) || depth === 0) return {};
  const own = definitionOf(schema, root);
  const kinds = kindsOf(own, root, depth);
  const items = memberOf(own, 'items');
  return {
    schema: withDefinitions(schema, root),
    ...(kinds === undefined ? {} : { kinds }),
    ...(isJsonObject(items) ? { items: acceptedBy(items, root, depth - 1) } : {}),
  };
}

/** The schema that a `$ref` into the definitions of its root means; any other schema itself. */
export function definitionOf(schema: JsonObject, root: JsonObject): JsonObject {
  const [, place = '', name = ''] = reference.exec(textIn(schema, '$ref')) ?? [];
  const definitions = memberOf(root, place);
  const definition = isJsonObject(definitions) ? memberOf(definitions, name) : undefined;
  return isJsonObject(definition) ? definition : schema;
}

/** Whether a value of this kind is accepted. */
export function accepts({ kinds }: Accepted, kind: JsonKind): boolean {
  return kinds === undefined || kinds.has(kind) || (kind === 'integer' && kinds.has('number'));
}

/** The kind of a value; whole numbers are integers. */
export function kindOf(value: Json): JsonKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'object';
}

function kindsOf(schema: JsonObject, root: JsonObject, depth: number): ReadonlySet<JsonKind> | undefined {
  if (depth === 0) return undefined;
  const own = definitionOf(schema, root);
  const type = memberOf(own, 'type');
  if (type !== undefined) return new Set([type].flat() as readonly JsonKind[]);
  const constant = memberOf(own, 'const');
  if (constant !== undefined) return new Set([kindOf(constant)]);
  const options = memberOf(own, 'enum');
  if (Array.isArray(options)) return new Set((options as readonly Json[]).map(kindOf));
  const choices = memberOf(own, 'anyOf') ?? memberOf(own, 'oneOf');
  if (Array.isArray(choices)) return kindsOfAny(choices as readonly Json[], root, depth - 1);
  return isJsonObject(memberOf(own, 'properties')) ? new Set(['object']) : undefined;
}

function kindsOfAny(
  choices: readonly Json[],
  root: JsonObject,
  depth: number,
): ReadonlySet<JsonKind> | undefined {
  const all = new Set<JsonKind>();
  for (const choice of choices) {
    const kinds = isJsonObject(choice) ? kindsOf(choice, root, depth) : undefined;
    if (kinds === undefined) return undefined;
    for (const kind of kinds) all.add(kind);
  }
  return all;
}

function withDefinitions(schema: JsonObject, root: JsonObject): JsonObject {
  const definitions = ['$defs', 'definitions'].filter((key) => Object.hasOwn(root, key));
  if (schema === root || definitions.length === 0) return schema;
  return { ...Object.fromEntries(definitions.map((key) => [key, root[key] as Json])), ...schema };
}

function textIn(schema: JsonObject, key: string): string {
  const value = memberOf(schema, key);
  return typeof value === 'string' ? value : '';
}

function memberOf(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
