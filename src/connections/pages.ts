import type { Client, RequestOptions, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { AgentError } from '../core/error.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';

/** A list that a server gives in pages. */
export type ListName = 'tools' | 'resources' | 'prompts';

const mostPages = 100;
const mostItems = 10_000;
const mostSize = 16 * 1024 * 1024; // characters of JSON

/** All items of a list, as the server gives them; throws `server.failed` where it has no end. */
export async function readPages(
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
