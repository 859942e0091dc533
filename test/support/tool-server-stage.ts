import { openSandboxes } from '../../src/config/defaults.ts';
import { createToolServer } from '../../src/mcp-client/tool-server.ts';
import { minute } from './deadline.ts';
import type { Grant } from '../../src/core/sandbox.ts';
import type {
  ServerEndpoint,
  ToolDefinition,
  ToolRequest,
  ToolServer,
} from '../../src/core/servers/tool-server.ts';
import { projectRoot, sourceFile } from './source-file.ts';

/** The folder of the package, in whose `node_modules` the servers lie. */
export const packageFolder = projectRoot;

/** A request that nobody cancels. */
export const unhurried: ToolRequest = { signal: new AbortController().signal };

const sandboxes = openSandboxes('auto');

/** Where a command runs in a real sandbox, with nothing granted beside the package. */
export function stdioEndpoint(
  command: string,
  args: readonly string[],
  more: Partial<Grant> & { readonly timeoutMs?: number } = {},
): ServerEndpoint {
  const { timeoutMs = minute, read = [], ...grant } = more;
  const path = '/usr/local/bin:/usr/bin:/bin';
  return {
    kind: 'stdio',
    name: 'odd',
    timeoutMs,
    command,
    args,
    path,
    folder: packageFolder,
    near: [packageFolder],
    openSandbox: (program) =>
      sandboxes.open({
        write: [],
        hosts: [],
        environment: { PATH: path, HOME: '/tmp' },
        ...grant,
        read: [packageFolder, ...read, ...program],
      }),
  };
}

/** The odd server over stdio. */
export function oddEndpoint(way = 'tools', timeoutMs?: number): ServerEndpoint {
  const program = sourceFile('test/support/odd-server.ts');
  return stdioEndpoint('node', [program, way], timeoutMs === undefined ? {} : { timeoutMs });
}

/** A place whose servers have as long for an answer as `patience` says at the moment. */
export function withPatience(endpoint: ServerEndpoint, patience: { readonly ms: number }): ServerEndpoint {
  return Object.defineProperty({ ...endpoint }, 'timeoutMs', { get: () => patience.ms });
}

/** A server that is closed at the end of its block. */
export function open(endpoint: ServerEndpoint): ToolServer & AsyncDisposable {
  const server = createToolServer(endpoint);
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

/** A tool of a server by its name. */
export async function toolOf(server: ToolServer, name: string): Promise<ToolDefinition> {
  const found = (await server.tools(unhurried)).find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`There is no tool ${name}.`);
  return found;
}

/** What a tool of a server says, as one text. */
export async function callText(
  server: ToolServer,
  name: string,
  input: Parameters<ToolServer['call']>[1] = {},
  request: ToolRequest = unhurried,
): Promise<string> {
  const { content } = await server.call(await toolOf(server, name), input, request);
  return content.map((part) => (part.kind === 'text' ? part.text : part.kind)).join('\n');
}
