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

/** The package folder, whose `node_modules` contains the test servers. */
export const packageFolder = projectRoot;

/** A request that is never cancelled. */
export const unhurried: ToolRequest = { signal: new AbortController().signal };

const sandboxes = openSandboxes('auto');

/**
 * Returns an endpoint that runs a command in a real sandbox. By default, the sandbox can only read the
 * package.
 */
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

/** Returns an endpoint for the odd server over stdio. */
export function oddEndpoint(way = 'tools', timeoutMs?: number): ServerEndpoint {
  const program = sourceFile('test/support/odd-server.ts');
  return stdioEndpoint('node', [program, way], timeoutMs === undefined ? {} : { timeoutMs });
}

/** Returns an endpoint whose answer timeout is the current value of `patience.ms`. */
export function withPatience(endpoint: ServerEndpoint, patience: { readonly ms: number }): ServerEndpoint {
  return Object.defineProperty({ ...endpoint }, 'timeoutMs', { get: () => patience.ms });
}

/** Opens a server. Declare it with `await using`. */
export function open(endpoint: ServerEndpoint): ToolServer & AsyncDisposable {
  const server = createToolServer(endpoint);
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

/** Returns a server's tool by name. */
export async function toolOf(server: ToolServer, name: string): Promise<ToolDefinition> {
  const found = (await server.tools(unhurried)).find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`There is no tool ${name}.`);
  return found;
}

/** Calls a tool and returns its result as one text. */
export async function callText(
  server: ToolServer,
  name: string,
  input: Parameters<ToolServer['call']>[1] = {},
  request: ToolRequest = unhurried,
): Promise<string> {
  const { content } = await server.call(await toolOf(server, name), input, request);
  return content.map((part) => (part.kind === 'text' ? part.text : part.kind)).join('\n');
}
