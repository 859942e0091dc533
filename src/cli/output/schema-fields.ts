import { isJsonObject, type Json, type JsonObject } from '../../core/index.ts';
import { oneLine, wrapWords } from './text.ts';

/** A value that a schema describes: its path, its type in words and its description. */
interface Field {
  readonly path: string;
  readonly type: string;
  readonly description: string;
}

const deepest = 4; // Schemas may refer to themselves.
const maxFields = 100;

/**
 * Formats a schema as lines: for each field its name, its type and whether it is required, and below them its
 * description. Without a width, descriptions are not wrapped.
 */
export function schemaLines(schema: JsonObject, width = Infinity): readonly string[] {
  const fields = fieldsOf(schema, { root: schema, path: '', depth: 0, isRequired: false });
  const lines = fields
    .slice(0, maxFields)
    .flatMap(({ path, type, description }) => [
      ...wrapWords(`  ${path === '' ? type : `${path}  ${type}`}`, width, '      '),
      ...(description === '' ? [] : wrapWords(`      ${description}`, width, '      ')),
    ]);
  const more = fields.length - maxFields;
  return more > 0 ? [...lines, `  … ${more} more`] : lines;
}

interface Position {
  readonly root: JsonObject;
  readonly path: string;
  readonly depth: number;
  readonly isRequired: boolean;
}

function fieldsOf(given: Json | undefined, position: Position): readonly Field[] {
  const { root, path, depth, isRequired } = position;
  const schema = resolved(given, root);
  const { properties, required, items } = schema;
  const names = Array.isArray(required) ? required : [];
  const inner = { root, depth: depth + 1, isRequired: false };
  const below = isJsonObject(properties)
    ? Object.entries(properties).flatMap(([name, one]) =>
        fieldsOf(one, {
          ...inner,
          path: path === '' ? oneLine(name) : `${path}.${oneLine(name)}`,
          isRequired: names.includes(name),
        }),
      )
    : hasFields(items, root)
      ? fieldsOf(items, { ...inner, path: `${path}[]` }).slice(1)
      : [];
  const inside = depth < deepest ? below : [];
  if (path === '' && depth === 0 && isJsonObject(properties) && inside.length > 0) return inside;
  const parts = [
    typeText(schema, root),
    ...(isRequired ? ['required'] : []),
    ...(schema['default'] === undefined ? [] : [`default ${JSON.stringify(schema['default'])}`]),
  ];
  const { description } = isJsonObject(given) && typeof given['description'] === 'string' ? given : schema;
  const own = {
    path,
    type: oneLine(parts.join(', ')),
    description: typeof description === 'string' ? oneLine(description) : '',
  };
  return [own, ...inside];
}

function hasFields(items: Json | undefined, root: JsonObject): boolean {
  return isJsonObject(resolved(items, root)['properties']);
}

/** Returns the schema that a local reference names, or else the schema itself. */
function resolved(schema: Json | undefined, root: JsonObject): JsonObject {
  if (!isJsonObject(schema)) return {};
  const { $ref: reference } = schema;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
  const target = reference
    .slice(2)
    .split('/')
    .reduce<Json | undefined>(
      (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      root,
    );
  return isJsonObject(target) ? target : schema;
}

function typeText(schema: JsonObject, root: JsonObject, depth = 0): string {
  const { type, enum: values, const: value, items, anyOf, oneOf } = schema;
  if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(' | ');
  if (value !== undefined) return JSON.stringify(value);
  const choices = Array.isArray(anyOf) ? anyOf : oneOf;
  const typeIn = (one: Json | undefined): string => typeText(resolved(one, root), root, depth + 1);
  if (Array.isArray(choices) && depth < deepest) return [...new Set(choices.map(typeIn))].join(' or ');
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string').join(' or ');
  if (type !== 'array') return typeof type === 'string' ? type : 'any';
  return items === undefined || depth >= deepest ? 'array' : `array of ${typeIn(items)}`;
}
