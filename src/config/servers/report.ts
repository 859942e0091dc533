import { serverSecrets } from '../../agent/redaction.ts';
import { serverEndpoint } from '../../agent/servers/open-server.ts';
import type { ServerDependencies } from '../../agent/servers/server-values.ts';
import { readNpx } from '../../mcp-client/npx.ts';
import {
  AgentError,
  createRedactor,
  deadline,
  toErrorData,
  type ErrorData,
  type Issue,
  type ServerDescription,
  type ToolServer,
} from '../../core/index.ts';
import { defaultPorts } from '../defaults.ts';
import { readLayers, settingsSources, type SourceOptions } from '../read/settings.ts';
import { configuredServers, type ConfiguredServer } from './read-servers.ts';

/** The status of one MCP server. Contains no secrets. */
export interface ServerReport {
  readonly name: string;
  /** The file that configures the server. */
  readonly file: string;
  /** The program or address of the server. */
  readonly place: string;
  /** The number of tools that the server provides. Absent if the server did not respond. */
  readonly tools?: number;
  /** The names of the tools, in the server's order. */
  readonly toolNames?: readonly string[];
  readonly fault?: ErrorData;
}

/** The status of all configured MCP servers, and issues about ignored ones. */
export interface ServersReport {
  readonly servers: readonly ServerReport[];
  /** Issues about ignored servers. */
  readonly unused: readonly Issue[];
}

/** Connects to every configured server in parallel and lists its tools. Never throws. */
export async function reportServers(
  skills: ServerDependencies['context']['skills'],
  cwd: string,
  options: SourceOptions = {},
): Promise<ServersReport> {
  const sources = settingsSources(cwd, options);
  const { configured, issues } = configuredServers(readLayers(sources).layers, sources);
  const ports = defaultPorts(options.environment);
  const dependencies = {
    context: { options: { startDir: cwd }, ports, skills },
    sandboxes: ports.openSandboxes('auto'),
  };
  const report = async ({ server, file }: ConfiguredServer): Promise<ServerReport> => {
    const known = { name: server.name, file, place: writtenEndpoint(server) };
    try {
      const opened = await ports.openServer(serverEndpoint(dependencies, server, false));
      const toolNames = await namesOfTools(opened);
      return { ...known, place: opened.endpoint, tools: toolNames.length, toolNames };
    } catch (thrown) {
      const fault = hereFault(thrown);
      // The error message of a server may contain secrets that were passed to it.
      const redact = createRedactor(serverSecrets([server], ports.environment));
      return { ...known, fault: { ...fault, message: redact(fault.message) } };
    }
  };
  return {
    servers: await Promise.all(configured.map(report)),
    unused: issues,
  };
}

/**
 * Converts a thrown error for the report. Replaces the hint of `sandbox.unavailable`, because a report cannot
 * ask the user whether to start the server without a sandbox.
 */
function hereFault(thrown: unknown): ErrorData {
  const fault = toErrorData(thrown);
  if (fault.code !== 'sandbox.unavailable') return fault;
  return { ...fault, hint: 'See "containment" below; until then, a run asks before it starts the server.' };
}

/**
 * Returns the program or address of a server without its arguments, query or fragment, which may contain
 * secrets.
 */
export function writtenEndpoint(server: ServerDescription): string {
  if (server.kind === 'http') return server.url.replace(/[?#].*$/s, '');
  const npx = server.command === 'npx' ? readNpx(server.args) : undefined;
  return npx === undefined ? server.command : `npx ${npx.package}`;
}

const patienceSeconds = 20; // The timeout for a server in seconds. Starting a server with npx can be slow.

async function namesOfTools(server: ToolServer): Promise<readonly string[]> {
  const late = new AgentError(
    'limit.time',
    `The server "${server.name}" did not answer within ${patienceSeconds} seconds.`,
    {
      hint: 'Start the server manually to see why.',
    },
  );
  using limit = deadline(patienceSeconds * 1000, late);
  try {
    return (await server.tools({ signal: limit.signal })).map(({ name }) => name);
  } finally {
    await server.close();
  }
}
