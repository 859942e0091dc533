import { hash } from 'node:crypto';
import type { Client, RequestOptions, StandardSchemaV1, Tool } from '@modelcontextprotocol/client';
import {
  AgentError,
  canonicalJson,
  detach,
  isJsonObject,
  optional,
  parseJson,
  visible,
  type Json,
  type JsonObject,
  type ServerPrompt,
  type ServerResource,
  type ToolDefinition,
} from '../core/index.ts';
import { jsonOf } from './messages.ts';

/** Returns all resources of a server. Skips entries without a URI. */
export async function readResources(
  client: Client,
  options: RequestOptions,
): Promise<readonly ServerResource[]> {
  return (await readPages(client, 'resources', options)).filter(isJsonObject).flatMap((entry) => {
    const [uri, name] = [textOf(entry, 'uri'), textOf(entry, 'name')];
    if (uri === undefined) return [];
    const described = optional('description', textOf(entry, 'description'));
    return [{ uri, name: name ?? uri, ...described, ...optional('mediaType', textOf(entry, 'mimeType')) }];
  });
}

/** Returns all prompts of a server. Skips entries without a name. */
export async function readPrompts(client: Client, options: RequestOptions): Promise<readonly ServerPrompt[]> {
  return (await readPages(client, 'prompts', options)).filter(isJsonObject).flatMap((entry) => {
    const name = textOf(entry, 'name');
    if (name === undefined) return [];
    const parameters = entry['arguments'];
    return [
      {
        name,
        ...optional('description', textOf(entry, 'description')),
        arguments: Array.isArray(parameters) ? parameters.flatMap(readArgument) : [],
      },
    ];
  });
}

function readArgument(entry: Json): ServerPrompt['arguments'] {
  const name = isJsonObject(entry) ? textOf(entry, 'name') : undefined;
  if (!isJsonObject(entry) || name === undefined) return [];
  return [
    { name, ...optional('description', textOf(entry, 'description')), required: entry['required'] === true },
  ];
}

function textOf(entry: JsonObject, key: string): string | undefined {
  const value = entry[key];
  return typeof value === 'string' ? value : undefined;
}

/** The tools of a server at one point in time. */
export interface ServerTools {
  readonly definitions: readonly ToolDefinition[];
  /** The original tool definitions from the server, keyed by name. */
  readonly said: ReadonlyMap<string, Tool>;
  /** The reasons why tools were skipped, one sentence each. */
  readonly complaints: readonly string[];
}

/** Returns the tools of a server. Skips unusable tools and reports them in `complaints`. */
export async function readToolList(client: Client, options: RequestOptions): Promise<ServerTools> {
  const definitions = new Map<string, ToolDefinition>();
  const said = new Map<string, Tool>();
  const complaints: string[] = [];
  const items = await readPages(client, 'tools', options);
  for (const [index, item] of items.entries()) {
    const read = readToolDefinition(item);
    if (typeof read === 'string') complaints.push(`${shownName(item, index)} ${read}.`);
    else if (definitions.has(read.name)) complaints.push(`The tool name "${read.name}" is used twice.`);
    else {
      definitions.set(read.name, read);
      said.set(read.name, item as Tool);
    }
  }
  return { definitions: [...definitions.values()], said, complaints };
}

function shownName(item: unknown, index: number): string {
  const name = typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined;
  return typeof name === 'string' ? `The tool "${visible(name.slice(0, 80))}"` : `Tool ${index + 1}`;
}

/** A kind of list that a server returns page by page. */
type ListName = 'tools' | 'resources' | 'prompts';

const maxPages = 100;
const maxItems = 10_000;
const maxSize = 16 * 1024 * 1024; // The maximum length of a list in its JSON form, in characters.

/** Returns all items of a list, unchanged. Throws `server.failed` if the list is too long. */
async function readPages(
  client: Client,
  list: ListName,
  options: RequestOptions,
): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.[list] === undefined) return [];
  let items: readonly unknown[] = [];
  let size = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: `${list}/list`, params }, anyObject, options);
    const found = page[list];
    if (Array.isArray(found)) items = items.concat(found as readonly unknown[]);
    size += sizeOf(page);
    if (items.length > maxItems || size > maxSize) throw endless(list);
    const { nextCursor } = page;
    if (typeof nextCursor !== 'string') break;
    if (nextCursor === cursor) break; // A repeated cursor would cause an endless loop.
    cursor = nextCursor;
    if (pages === maxPages - 1) throw endless(list);
  }
  return items;
}

function sizeOf(page: JsonObject): number {
  try {
    return JSON.stringify(page).length;
  } catch {
    return 0; // The item is nested too deeply to be serialized and is skipped later.
  }
}

/** A schema that accepts any object, so that one invalid item does not invalidate the entire list. */
const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'skilled',
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: 'it is not an object' }] }),
  },
};

function endless(list: ListName): AgentError {
  return new AgentError(
    'server.failed',
    `The list of ${list} has more than ${maxPages} pages, ${maxItems.toLocaleString('en')} entries or ${maxSize / 1024 / 1024} MB.`,
    { hint: 'Configure the server to offer fewer entries.' },
  );
}

/** Reads a tool definition. If it is unusable, returns the reason as the end of a sentence. */
export function readToolDefinition(said: unknown): ToolDefinition | string {
  const text = jsonOf(said);
  const tool = parseJson(text);
  if (!isJsonObject(tool)) return 'is not an object or is nested too deeply';
  if (text.length > longest)
    return `has a description of more than ${longest.toLocaleString('en')} characters`;
  const { name, title, description, inputSchema, outputSchema, execution } = tool as Partial<
    Record<string, Json>
  >;
  if (typeof name !== 'string' || !isToolName(name)) return 'has no valid name';
  if (!isObjectSchema(inputSchema)) return 'has no input schema for an object';
  if (outputSchema !== undefined && !isJsonObject(outputSchema))
    return 'has an output schema that is not an object';
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

// The maximum length of a tool definition in its JSON form, in characters. Tool definitions are part of every
// request to a model.
const longest = 200_000;

/**
 * Whether a tool name is valid. Tool names appear in rules and labels, so only certain characters are
 * allowed.
 */
function isToolName(name: string): boolean {
  return /^[\w./-]{1,128}$/.test(name);
}

function isObjectSchema(schema: Json | undefined): schema is JsonObject {
  return isJsonObject(schema) && (schema['type'] === undefined || schema['type'] === 'object');
}
