import { z } from 'zod';
import { isJsonObject, mapValues, type Json, type JsonObject } from '../../core/index.ts';
import type { Endpoint } from './endpoint.ts';

const prefix = 'skilled.';

/**
 * Gives a schema a name in the API's description. The prefix keeps it apart from the names of a host program,
 * because zod has one registry for all.
 */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  return schema.meta({ id: `${prefix}${id}` });
}

/** General facts about the API, for its description. */
interface ApiFacts {
  readonly version: string;
  readonly description: string;
  /** The schema of an error. */
  readonly problem: z.ZodType;
}

/** Builds the OpenAPI 3.1 document of endpoints, from the schemas that validate their requests. */
export function describeApi(
  endpoints: readonly Endpoint[],
  { version, description, problem }: ApiFacts,
): JsonObject {
  const schemas: Record<string, Json> = {};
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const {
      $schema: _dialect,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonObject;
    for (const [id, one] of Object.entries($defs as JsonObject)) schemas[nameOf(id)] = withRefs(one);
    const { id } = own;
    if (typeof id !== 'string') return withRefs(own);
    schemas[nameOf(id)] = withRefs(own);
    return { $ref: `#/components/schemas/${nameOf(id)}` };
  };
  const error: JsonObject = {
    description: 'An error, as problem details (RFC 9457).',
    content: { 'application/problem+json': { schema: schemaOf(problem, 'output') } },
  };
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints)
    (paths[endpoint.path] ??= {})[endpoint.method] = {
      ...operationOf(endpoint, schemaOf),
      ...errorsOf(endpoint, error, schemaOf),
    };
  return {
    openapi: '3.1.0',
    info: { title: 'skilled', version, description },
    security: [{ key: [] }],
    paths,
    components: { schemas, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  };
}

type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => Json;

function operationOf(endpoint: Endpoint, schemaOf: SchemaOf): JsonObject {
  const { id, summary, description, scope, params, query, body, isBodyOptional } = endpoint;
  const parameters = [...parametersOf(params, 'path', schemaOf), ...parametersOf(query, 'query', schemaOf)];
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    'x-scope': scope,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: isBodyOptional !== true,
            content: { 'application/json': { schema: schemaOf(body, 'input') } },
          },
        }),
  };
}

function errorsOf(
  { response, status = 200, otherTypes = [] }: Endpoint,
  error: JsonObject,
  schemaOf: SchemaOf,
): JsonObject {
  const content: JsonObject = {
    'application/json': { schema: schemaOf(response, 'output') },
    ...Object.fromEntries(otherTypes.map((type) => [type, { schema: { type: 'string' } }])),
  };
  const isEmpty = status === 204;
  return {
    responses: {
      [String(status)]: { description: isEmpty ? 'Done.' : 'The result.', ...(isEmpty ? {} : { content }) },
      default: error,
    },
  };
}

function parametersOf(
  schema: z.ZodType | undefined,
  where: 'path' | 'query',
  schemaOf: SchemaOf,
): readonly Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as JsonObject;
  return Object.entries(properties as JsonObject).map(([name, one]) => {
    const { description, ...rest } = one as JsonObject;
    return {
      name,
      in: where,
      required: (required as readonly Json[]).includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function nameOf(id: string): string {
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

/** Points references at the components of the document, and removes the names that zod adds to schemas. */
function withRefs(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(withRefs);
  if (!isJsonObject(schema)) return schema;
  const { id, ...rest } = schema;
  const isName = typeof id === 'string' && id.startsWith(prefix);
  return mapValues(isName ? rest : schema, (value, key) =>
    key === '$ref' && typeof value === 'string'
      ? `#/components/schemas/${nameOf(value.replace('#/$defs/', ''))}`
      : withRefs(value),
  );
}
