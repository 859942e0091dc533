import { McpServer, type CallToolResult, type Tool } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../src/core/json.ts';
import { serveMcp, type SkillServer } from './skill-server.ts';

/** A test tool: its definition and its behaviour. */
export interface HostedTool extends Partial<Omit<Tool, 'name'>> {
  readonly run: (input: JsonObject) => CallToolResult | Promise<CallToolResult>;
}

/** An HTTP server with test tools. */
export interface ToolHost extends SkillServer {
  /** The current tools. Assigning a new value changes them for all following requests. */
  tools: Readonly<Record<string, HostedTool>>;
  /** One `name input` string per call so far. */
  readonly calls: string[];
}

/** Returns a tool's text result. */
export function toolText(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** Returns a tool's structured result, which includes its text form. */
export function toolValue(value: JsonObject): CallToolResult {
  return { ...toolText(JSON.stringify(value)), structuredContent: value };
}

/** Serves tools with the official package until the result is disposed. */
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
