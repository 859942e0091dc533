import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../src/core/json.ts';

/** A call of an operation. */
export interface ApiCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A response with its body as JSON, if it is JSON. */
export interface ApiResult {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

/** A client that was generated from an OpenAPI document: one function for each operation. */
export interface ApiClient {
  readonly operations: readonly string[];
  call(operation: string, call?: ApiCall): Promise<ApiResult>;
  open(operation: string, call?: ApiCall): Promise<Response>;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly spec: JsonObject;
}

/** Generates a client. It sends and accepts only what the document describes. */
export function generateClient(document: JsonObject, url: string, key?: string): ApiClient {
  const operations = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(document['paths'] as JsonObject))
    for (const [method, spec] of Object.entries(methods as JsonObject))
      operations.set((spec as JsonObject)['operationId'] as string, {
        method,
        path,
        spec: spec as JsonObject,
      });
  const open = async (name: string, call: ApiCall = {}): Promise<Response> => {
    const operation = operations.get(name);
    assert.ok(operation, `the document has no operation ${name}`);
    const { params = {}, query = {}, body, headers = {}, signal } = call;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, one: string) =>
      encodeURIComponent(params[one] ?? ''),
    );
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([one, values]) =>
        [values].flat().map((value): [string, string] => [one, value]),
      ),
    );
    return await fetch(`${url}${path}${search.size === 0 ? '' : `?${search.toString()}`}`, {
      method: operation.method.toUpperCase(),
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  };
  return {
    operations: [...operations.keys()],
    open,
    async call(name, call) {
      const response = await open(name, call);
      const text = await response.text();
      const { status, headers } = response;
      const type = headers.get('content-type')?.split(';')[0] ?? '';
      const isJson = /json$/.test(type);
      const body = (isJson ? JSON.parse(text) : { text }) as JsonObject;
      const { responses } = operations.get(name)?.spec as { responses: Record<string, JsonObject> };
      if (status >= 400) {
        assert.equal(type, 'application/problem+json', `${name}: ${status} ${text}`);
        checkSchema(document, schemaIn(responses['default'], type), body, name);
      } else if (isJson) {
        // A run that is waited for has the same body as one that was only accepted.
        const described = responses[status] ?? responses['202'];
        assert.ok(described, `${name}: status ${status} is not described`);
        checkSchema(document, schemaIn(described, 'application/json'), body, name);
      }
      return { status, headers, body };
    },
  };
}

function schemaIn(response: JsonObject | undefined, type: string): JsonObject {
  const content = (response?.['content'] ?? {}) as Record<string, { schema: JsonObject }>;
  return content[type]?.schema ?? {};
}

/** Checks the parts of a schema that clients rely on: types, required members, enums and items. */
function checkSchema(document: JsonObject, schema: JsonObject, value: Json | undefined, at: string): void {
  const { $ref, type, required, properties, items, enum: choices } = schema;
  if (typeof $ref === 'string') {
    const { schemas } = document['components'] as { schemas: Record<string, JsonObject> };
    const found = schemas[$ref.replace('#/components/schemas/', '')];
    assert.ok(found, `${at}: ${$ref} is missing`);
    checkSchema(document, found, value, at);
    return;
  }
  if (choices !== undefined)
    assert.ok((choices as Json[]).includes(value ?? null), `${at}: ${JSON.stringify(value)}`);
  if (type === 'string' || type === 'boolean') assert.equal(typeof value, type, at);
  if (type === 'number' || type === 'integer') assert.equal(typeof value, 'number', at);
  if (type === 'array') {
    assert.ok(Array.isArray(value), at);
    for (const [index, one] of (value as Json[]).entries())
      checkSchema(document, (items ?? {}) as JsonObject, one, `${at}[${index}]`);
  }
  if (type !== 'object') return;
  const members = value as JsonObject;
  for (const name of (required ?? []) as string[]) assert.ok(name in members, `${at}: ${name} is missing`);
  for (const [name, one] of Object.entries((properties ?? {}) as JsonObject))
    if (members[name] !== undefined) checkSchema(document, one as JsonObject, members[name], `${at}.${name}`);
}
