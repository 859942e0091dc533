import { McpServer, type CallToolResult, type Tool } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../src/core/json.ts';
import { serveMcp, type SkillServer } from './skill-server.ts';

/** A tool of a test: what it says of itself, and what it does. */
export interface HostedTool extends Partial<Omit<Tool, 'name'>> {
  readonly run: (input: JsonObject) => CallToolResult | Promise<CallToolResult>;
}

/** A server over HTTP with tools of a test. */
export interface ToolHost extends SkillServer {
  /** Its tools now; what is set is what it says from then on. */
  tools: Readonly<Record<string, HostedTool>>;
  /** Every call so far, as `name input`. */
  readonly calls: string[];
}

/** Text as a tool gives it. */
export function toolText(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** A value as a tool gives it, beside its text. */
export function toolValue(value: JsonObject): CallToolResult {
  return { ...toolText(JSON.stringify(value)), structuredContent: value };
}

/** Serves tools by the official package until it is disposed of. */
export async function hostTools(tools: Readonly<Record<string, HostedTool>>): Promise<ToolHost> {
  const own = { tools, calls: [] as string[] };
  const served = await serveMcp(() => {
    const mcp = new McpServer({ name: 'host', version: '1' }, { capabilities: { tools: {} } });
    const { server } = mcp;
    server.setRequestHandler('tools/list', () => ({
      tools: Object.entries(own.tools).map(([name, { run: _run, ...said }]) => ({
        description: `Does ${name}.`,
        inputSchema: { type: 'object' as const },
        ...said,
        name,
      })),
    }));
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: input = {} } }) => {
      own.calls.push(`${name} ${JSON.stringify(input)}`);
      const tool = own.tools[name];
      return tool === undefined
        ? { ...toolText('no such tool'), isError: true }
        : tool.run(input as JsonObject);
    });
    return mcp;
  });
  return Object.defineProperties(Object.assign(served, own), {
    tools: { get: () => own.tools, set: (next: typeof tools) => void (own.tools = next) },
  });
}
