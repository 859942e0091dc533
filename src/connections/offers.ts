import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import type { ServerPrompt, ServerResource } from '../core/servers/tool-server.ts';
import { readPages } from './pages.ts';

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
