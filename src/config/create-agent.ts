import type { ZodType } from 'zod';
import type { AgentOptions } from '../agent/options.ts';
import type { AgentTool } from '../agent/tools.ts';
import {
  AgentError,
  optional,
  readServerEntry,
  type HttpServer,
  type Json,
  type ServerDescription,
  type StdioServer,
} from '../core/index.ts';
import { RecursiveSkilledAgent } from './preset.ts';

/** An MCP server, as `.mcp.json` describes it: a program, or an address. */
export type ServerEntry =
  | (Pick<StdioServer, 'command'> & Partial<Omit<StdioServer, 'kind' | 'name' | 'near'>>)
  | (Pick<HttpServer, 'url'> & Partial<Omit<HttpServer, 'kind' | 'name'>>);

/** The options of `createAgent`. The inputs of inline tools get their types from their schemas. */
export interface AgentSetup<Schemas extends Readonly<Record<string, ZodType>>> extends Omit<
  AgentOptions,
  'tools' | 'mcpServers'
> {
  readonly tools?: { readonly [Name in keyof Schemas]: AgentTool<Schemas[Name]> };
  /** MCP servers whose tools skills may use, by name or as descriptions. */
  readonly mcpServers?: Readonly<Record<string, ServerEntry>> | readonly ServerDescription[];
}

/** Creates an agent with the built-in families and skills, like the constructor of `RecursiveSkilledAgent`. */
export function createAgent<Schemas extends Readonly<Record<string, ZodType>>>({
  mcpServers,
  tools,
  ...options
}: AgentSetup<Schemas> = {}): RecursiveSkilledAgent {
  return new RecursiveSkilledAgent({
    ...options,
    ...optional('tools', tools as AgentOptions['tools']),
    ...(mcpServers === undefined ? {} : { mcpServers: serversIn(mcpServers) }),
  });
}

function serversIn(given: NonNullable<AgentSetup<never>['mcpServers']>): readonly ServerDescription[] {
  if (Array.isArray(given)) return given as readonly ServerDescription[];
  return Object.entries(given).map(([name, entry]) => {
    const server = readServerEntry(name, entry as unknown as Json, 'settings');
    if (typeof server !== 'string') return server;
    throw new AgentError('usage.bad-input', `The server "${name}" ${server}.`, {
      hint: 'Write { command, args, env } or { url, headers }, as in .mcp.json.',
    });
  });
}
