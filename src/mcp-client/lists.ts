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

/** All that can be read from a server; entries without an address are left out. */
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

/** All prompts that a server offers; entries without a name are left out. */
export async function readPrompts(client: Client, options: RequestOptions): Promise<readonly ServerPrompt[]> {
  return (await readPages(client, 'prompts', options)).filter(isJsonObject).flatMap((entry) => {
    const name = textOf(entry, 'name');
    if (name === undefined) return [];
    const wanted = entry['arguments'];
    return [
      {
        name,
        ...optional('description', textOf(entry, 'description')),
        arguments: Array.isArray(wanted) ? wanted.flatMap(readArgument) : [],
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

/** The tools of a server as it described them at one moment. */
export interface ServerTools {
  readonly definitions: readonly ToolDefinition[];
  /** As the server said it, by name. */
  readonly said: ReadonlyMap<string, Tool>;
  /** What cannot be used, each a sentence. */
  readonly complaints: readonly string[];
}

/** Asks a server for its tools; those that cannot be used are left out, and said. */
export async function readToolList(client: Client, options: RequestOptions): Promise<ServerTools> {
  const definitions = new Map<string, ToolDefinition>();
  const said = new Map<string, Tool>();
  const complaints: string[] = [];
  const items = await readPages(client, 'tools', options);
  for (const [index, item] of items.entries()) {
    const read = readToolDefinition(item);
    if (typeof read === 'string') complaints.push(`${shownName(item, index)} ${read}.`);
    else if (definitions.has(read.name)) complaints.push(`Another tool is named "${read.name}" too.`);
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

/** A list that a server gives in pages. */
type ListName = 'tools' | 'resources' | 'prompts';

const mostPages = 100;
const mostItems = 10_000;
const mostSize = 16 * 1024 * 1024; // characters of JSON

/** All items of a list, as the server gives them; throws `server.failed` where it has no end. */
async function readPages(
  client: Client,
  list: ListName,
  options: RequestOptions,
): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.[list] === undefined) return [];
  let items: readonly unknown[] = [];
  let size = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: `${list}/list`, params }, anyObject, options);
    const found = page[list];
    if (Array.isArray(found)) items = items.concat(found as readonly unknown[]);
    size += sizeOf(page);
    if (items.length > mostItems || size > mostSize) throw endless(list);
    const { nextCursor } = page;
    if (typeof nextCursor !== 'string') break;
    if (nextCursor === cursor) break; // it would go on for ever
    cursor = nextCursor;
    if (pages === mostPages - 1) throw endless(list);
  }
  return items;
}

function sizeOf(page: JsonObject): number {
  try {
    return JSON.stringify(page).length;
  } catch {
    return 0; // an item nests so deep that it will not be used
  }
}

/** Takes every object as it is: a single item that is wrong must not take the others along. */
const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'skilled',
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: 'it is no object' }] }),
  },
};

function endless(list: ListName): AgentError {
  return new AgentError(
    'server.failed',
    `The list of ${list} has more than ${mostPages} pages, ${mostItems.toLocaleString('en')} entries or ${mostSize / 1024 / 1024} MB.`,
    { hint: 'The server has to offer fewer.' },
  );
}

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
