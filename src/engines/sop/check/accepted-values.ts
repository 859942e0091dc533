import {
  fitSchema,
  isAgentError,
  isJsonObject,
  type AgentError,
  type Json,
  type JsonObject,
} from '../../../core/index.ts';

/**
 * Returns the error for a value that does not match a schema, or undefined if the value matches. Also returns
 * undefined if the schema is invalid, because the command reports an invalid schema.
 */
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

/**
 * Whether a value matches a schema that contains only types. Most parameters have such a schema, which can be
 * checked without the schema library.
 */
function fitsAtSight(schema: JsonObject, value: Json): boolean {
  return Object.entries(schema).every(([keyword, asked]) =>
    keyword === 'type' ? isOfType(value, asked) : saysNothing.has(keyword),
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

// The maximum nesting depth to check if a schema refers to itself. Deeper values are not checked.
const deepest = 8;

/** The value types that JSON Schema distinguishes. */
export type JsonKind = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';

/** The values that a parameter accepts. */
export interface Accepted {
  /** The JSON Schema of the values. Absent if any value is accepted. */
  readonly schema?: JsonObject;
  /** The types of the values. Absent if the schema does not limit the type. */
  readonly kinds?: ReadonlySet<JsonKind>;
  /** The values that are accepted as items of a list. */
  readonly items?: Accepted;
}

/** Determines which values a schema accepts; `root` contains the schema's definitions. Never throws. */
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

/** Returns the definition in `root` to which a `$ref` refers. Returns any other schema unchanged. */
export function definitionOf(schema: JsonObject, root: JsonObject): JsonObject {
  const [, section = '', name = ''] = reference.exec(textIn(schema, '$ref')) ?? [];
  const definitions = memberOf(root, section);
  const definition = isJsonObject(definitions) ? memberOf(definitions, name) : undefined;
  return isJsonObject(definition) ? definition : schema;
}

/** Whether a value of this type is accepted. */
export function accepts({ kinds }: Accepted, kind: JsonKind): boolean {
  return kinds === undefined || kinds.has(kind) || (kind === 'integer' && kinds.has('number'));
}

/** Returns a value's type. Whole numbers are integers. */
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
