import { statusOf } from '../../src/server/problem.ts';
import { describeRest } from '../../src/server/rest/rest-group.ts';
import { errorCodes } from '../../src/core/error.ts';
import type { JsonObject } from '../../src/core/json.ts';

const methods = ['get', 'post', 'delete'];

/** Builds the reference of the REST API from the schemas that validate its requests. */
export function buildRestPage(): string {
  const document = describeRest('');
  const operations = Object.entries(document['paths'] as JsonObject).flatMap(([path, all]) =>
    methods.flatMap((method) => {
      const one = (all as JsonObject)[method] as JsonObject | undefined;
      return one === undefined ? [] : [operationText(document, method, path, one)];
    }),
  );
  return `${[
    '# REST API',
    'Generated from the code. The guide [Serve](../guides/serve.md) explains how to use it; `/openapi.json` of a server describes it for programs (OpenAPI 3.1).',
    'Send a key as `Authorization: Bearer <key>` or `x-api-key`. Errors are problem details (RFC 9457) with the members `type`, `title`, `status`, `detail`, `code`, `hint` and `details`.',
    ...operations,
    '## Statuses of errors',
    statusTable(),
  ].join('\n\n')}\n`;
}

function operationText(document: JsonObject, method: string, path: string, operation: JsonObject): string {
  const { summary, description, parameters = [], requestBody } = operation;
  const scope = operation['x-scope'] as string;
  const fields = [
    ...(parameters as readonly JsonObject[]).map((one) =>
      fieldRow(document, one['name'] as string, one['in'] as string, one['required'] === true, {
        ...(one['schema'] as JsonObject),
        ...(one['description'] === undefined ? {} : { description: one['description'] }),
      }),
    ),
    ...bodyRows(document, requestBody as JsonObject | undefined),
  ];
  return [
    `## ${method.toUpperCase()} ${path}`,
    `${summary as string}. Scope: \`${scope}\`.`,
    ...(description === undefined ? [] : [description as string]),
    ...(fields.length === 0
      ? []
      : [['| name | in | type | what |', '|---|---|---|---|', ...fields].join('\n')]),
  ].join('\n\n');
}

function bodyRows(document: JsonObject, body: JsonObject | undefined): readonly string[] {
  if (body === undefined) return [];
  const { schema } = (body['content'] as Record<string, JsonObject>)['application/json'] as JsonObject;
  const found = resolve(document, schema as JsonObject);
  const choices = (found['anyOf'] as readonly JsonObject[] | undefined) ?? [found];
  return choices.flatMap((choice) => {
    const { properties = {}, required = [] } = resolve(document, choice);
    return Object.entries(properties as JsonObject).map(([name, one]) =>
      fieldRow(
        document,
        name,
        'body',
        (required as readonly string[]).includes(name) && choices.length === 1,
        one as JsonObject,
      ),
    );
  });
}

function fieldRow(
  document: JsonObject,
  name: string,
  where: string,
  isRequired: boolean,
  schema: JsonObject,
): string {
  const found = resolve(document, schema);
  const text = (schema['description'] ?? found['description'] ?? '') as string;
  const what = [isRequired ? 'Required.' : '', text].filter((part) => part !== '').join(' ');
  return `| \`${name}\` | ${where} | ${typeOf(document, found)} | ${what.replaceAll('|', '\\|')} |`;
}

function typeOf(document: JsonObject, schema: JsonObject): string {
  const { enum: values, type, anyOf, items, const: only } = schema;
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (Array.isArray(anyOf)) return typeOf(document, resolve(document, anyOf[0] as JsonObject));
  if (type === 'array') return `list of ${typeOf(document, resolve(document, items as JsonObject))}`;
  return typeof type === 'string' ? type : 'any JSON';
}

function resolve(document: JsonObject, schema: JsonObject): JsonObject {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const { schemas } = document['components'] as { readonly schemas: Record<string, JsonObject> };
  return schemas[$ref.split('/').at(-1) ?? ''] ?? {};
}

function statusTable(): string {
  const byStatus = new Map<number, string[]>();
  for (const code of errorCodes) {
    const status = statusOf({ code });
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\``]);
  }
  const rows = [...byStatus].sort(([one], [other]) => one - other);
  return [
    '| status | codes |',
    '|---|---|',
    ...rows.map(([status, codes]) => `| ${status} | ${codes.join(', ')} |`),
  ].join('\n');
}
