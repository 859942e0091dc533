import { hash } from 'node:crypto';
import { optional } from '../core/collections.ts';
import { detach, isJsonObject, parseJson, type Json, type JsonObject } from '../core/json.ts';
import { canonicalJson } from '../core/json/normalize.ts';
import type { ToolDefinition } from '../core/servers/tool-server.ts';
import { jsonOf } from './json-of.ts';

/** What a server says of a tool as it is used here, or why it cannot be used: the end of a sentence. */
export function readToolDefinition(said: unknown): ToolDefinition | string {
  const text = jsonOf(said);
  const tool = parseJson(text);
  if (!isJsonObject(tool)) return 'is no object, or nests too deep';
  if (text.length > longest) return `is described with more than ${longest.toLocaleString('en')} characters`;
  const { name, title, description, inputSchema, outputSchema, execution } = tool as Partial<
    Record<string, Json>
  >;
  if (typeof name !== 'string' || !isToolName(name)) return 'has no name that can be used';
  if (!isObjectSchema(inputSchema)) return 'has no input schema of an object';
  if (outputSchema !== undefined && !isJsonObject(outputSchema))
    return 'has an output schema that is no object';
  if (isJsonObject(execution) && execution['taskSupport'] === 'required') return 'can only be used as a task';
  return detach({
    name,
    ...optional('title', typeof title === 'string' ? title : undefined),
    description: typeof description === 'string' ? description : '',
    input: { ...inputSchema, type: 'object' },
    ...optional('output', outputSchema),
    hash: `sha256:${hash('sha256', canonicalJson(said as Json))}`,
  });
}

const longest = 200_000; // characters of JSON; every request to a model would have them

/** Whether a tool can be called so: what stands in rules and labels must be plain. */
function isToolName(name: string): boolean {
  return /^[\w./-]{1,128}$/.test(name);
}

function isObjectSchema(schema: Json | undefined): schema is JsonObject {
  return isJsonObject(schema) && (schema['type'] === undefined || schema['type'] === 'object');
}
