import type { Client, RequestOptions, Tool } from '@modelcontextprotocol/client';
import type { ToolDefinition } from '../core/servers/tool-server.ts';
import { visible } from '../core/text.ts';
import { readPages } from './pages.ts';
import { readToolDefinition } from './tool-definition.ts';

/** The tools of a server as it described them at one moment. */
export interface ToolList {
  readonly definitions: readonly ToolDefinition[];
  /** As the server said it, by name. */
  readonly said: ReadonlyMap<string, Tool>;
  /** What cannot be used, each a sentence. */
  readonly complaints: readonly string[];
}

/** Asks a server for its tools; those that cannot be used are left out, and said. */
export async function readToolList(client: Client, options: RequestOptions): Promise<ToolList> {
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
