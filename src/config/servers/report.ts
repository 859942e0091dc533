import { serverSecrets } from '../../agent/redaction.ts';
import { serverPlace } from '../../agent/servers/open-server.ts';
import type { ServerGround } from '../../agent/servers/server-values.ts';
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

/** What is known of one server of tools, in words that are safe to print. */
export interface ServerReport {
  readonly name: string;
  /** The file that describes it. */
  readonly file: string;
  /** The program, or the address. */
  readonly place: string;
  /** How many it has; absent when it did not answer. */
  readonly tools?: number;
  /** What they are called, as the server lists them. */
  readonly toolNames?: readonly string[];
  readonly fault?: ErrorData;
}

/** Every server of tools that the settings know, and what files of a project describe without counting. */
export interface ServersReport {
  readonly servers: readonly ServerReport[];
  /** Findings about servers that do not count. */
  readonly unused: readonly Issue[];
}

/** Connects with every server that counts, all at once, and asks for its tools. Never throws. */
export async function reportServers(
  skills: ServerGround['lender']['skills'],
  cwd: string,
  options: SourceOptions = {},
): Promise<ServersReport> {
  const sources = settingsSources(cwd, options);
  const { configured, issues } = configuredServers(readLayers(sources).layers, sources);
  const ports = defaultPorts(options.environment);
  const ground = {
    lender: { options: { startDir: cwd }, ports, skills },
    sandboxes: ports.openSandboxes('auto'),
  };
  const report = async ({ server, file }: ConfiguredServer): Promise<ServerReport> => {
    const known = { name: server.name, file, place: writtenPlace(server) };
    try {
      const opened = await ports.openServer(serverPlace(ground, server, false));
      const toolNames = await namesOfTools(opened);
      return { ...known, place: opened.place, tools: toolNames.length, toolNames };
    } catch (thrown) {
      const fault = hereFault(thrown);
      const redact = createRedactor(serverSecrets([server], ports.environment)); // it may print what it was given
      return { ...known, fault: { ...fault, message: redact(fault.message) } };
    }
  };
  return {
    servers: await Promise.all(configured.map(report)),
    unused: issues,
  };
}

/** Nobody can be asked here whether a server may be started without a sandbox; in a run somebody can. */
function hereFault(thrown: unknown): ErrorData {
  const fault = toErrorData(thrown);
  if (fault.code !== 'sandbox.unavailable') return fault;
  return { ...fault, hint: 'See "containment" below; until then, a run asks before it starts the server.' };
}

/** As its file says it, without what could be secret. */
function writtenPlace(server: ServerDescription): string {
  if (server.kind === 'http') return server.url.replace(/[?#].*$/s, '');
  const npx = server.command === 'npx' ? readNpx(server.args) : undefined;
  return npx === undefined ? server.command : `npx ${npx.package}`;
}

const patienceSeconds = 20; // a server that npx starts on a busy machine takes its time

async function namesOfTools(server: ToolServer): Promise<readonly string[]> {
  const late = new AgentError(
    'limit.time',
    `The server "${server.name}" did not answer within ${patienceSeconds} seconds.`,
    {
      hint: 'Start it by hand to see what keeps it.',
    },
  );
  using limit = deadline(patienceSeconds * 1000, late);
  try {
    return (await server.tools({ signal: limit.signal })).map(({ name }) => name);
  } finally {
    await server.close();
  }
}
