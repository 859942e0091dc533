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

/** The state of one MCP server, safe to print. */
export interface ServerReport {
  readonly name: string;
  /** The file that configures the server. */
  readonly file: string;
  /** The server's program or address. */
  readonly place: string;
  /** The number of tools that the server offers. Absent if the server did not respond. */
  readonly tools?: number;
  /** The tool names, as the server lists them. */
  readonly toolNames?: readonly string[];
  readonly fault?: ErrorData;
}

/** All configured MCP servers, and the ignored servers in project files. */
export interface ServersReport {
  readonly servers: readonly ServerReport[];
  /** Issues about servers that are ignored. */
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
      // The server's error message may contain secrets that were passed to it.
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
 * Returns the error to report. Unlike a run, a report cannot ask whether to start a server without a sandbox.
 */
function hereFault(thrown: unknown): ErrorData {
  const fault = toErrorData(thrown);
  if (fault.code !== 'sandbox.unavailable') return fault;
  return { ...fault, hint: 'See "containment" below; until then, a run asks before it starts the server.' };
}

/** Returns the program or address as written in the server's file, with possible secrets removed. */
export function writtenEndpoint(server: ServerDescription): string {
  if (server.kind === 'http') return server.url.replace(/[?#].*$/s, '');
  const npx = server.command === 'npx' ? readNpx(server.args) : undefined;
  return npx === undefined ? server.command : `npx ${npx.package}`;
}

const patienceSeconds = 20; // The timeout, which is long because starting a server with npx can be slow.

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
