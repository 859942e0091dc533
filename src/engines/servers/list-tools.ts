import {
  hashOf,
  isAgentError,
  visible,
  type AgentError,
  type Json,
  type Scope,
  type ServerDescription,
  type ServerFeatures,
  type ToolDefinition,
  type ToolServer,
} from '../../core/index.ts';
import type { AllowedTools } from './allowed-tools.ts';
import { isToolName } from './allowed-tools.ts';

/**
 * A server and its tools, as they were when a frame first used the server. A resumed frame uses the same
 * data.
 */
export interface ListedServer {
  readonly name: string;
  /** The server's program or address, for display. */
  readonly place: string;
  /** The usable tools that the list of allowed tools includes. */
  readonly tools: readonly ToolDefinition[];
  /** The names of all usable tools, including those that are not allowed. */
  readonly names: readonly string[];
  readonly features: ServerFeatures;
  /** The reasons why some tool definitions cannot be used, one sentence each. */
  readonly complaints: readonly string[];
  /** The reason why the server could not be queried. */
  readonly fault?: AgentError;
  /** A name that is unique even among servers with the same name. Contains no secrets. */
  readonly identity: string;
  /** Returns the server for a call. Throws if the server can no longer be opened. */
  open(scope: Scope): ToolServer | Promise<ToolServer>;
}

/** Requests a server's tools and features, once per frame. Returns a failure as `fault`. */
export async function listTools(
  scope: Scope,
  which: string | ServerDescription,
  allowed: AllowedTools,
): Promise<ListedServer> {
  const name = typeof which === 'string' ? which : which.name;
  const open = await openerOf(scope, which);
  const requestHash = hashOf([which, allowed.entries ?? null] as unknown as Json);
  try {
    const known = await scope.step(`tools:${name}`, () => ask(scope, open(), allowed), requestHash);
    return { name, open, identity: identityOf(which), ...(known as unknown as Known) };
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return { name, open, identity: identityOf(which), ...nothingKnown, fault: thrown };
  }
}

/**
 * Returns the identity of a server. A server from the settings keeps its identity even if its configuration
 * changes.
 */
export function identityOf(which: string | ServerDescription): string {
  if (typeof which === 'string') return hashOf(['known', which]);
  const { name } = which;
  return hashOf(which.kind === 'http' ? [name, which.url] : [name, which.command, ...which.args]);
}

const maxComplaints = 20;

type Known = Pick<ListedServer, 'place' | 'tools' | 'names' | 'features' | 'complaints'>;

const nothingKnown: Known = {
  place: '',
  tools: [],
  names: [],
  complaints: [],
  features: { resources: false, prompts: false, skills: false },
};

/**
 * Opens a server and returns a function that returns it. If opening fails, the error is thrown only when that
 * function is called, because a resumed frame may not need the server.
 */
async function openerOf(scope: Scope, which: string | ServerDescription): Promise<() => ToolServer> {
  try {
    const server = await scope.resources.server(which);
    return () => server;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return () => {
      throw thrown;
    };
  }
}

async function ask({ signal }: Scope, server: ToolServer, allowed: AllowedTools): Promise<Json> {
  const found = await server.tools({ signal });
  const features = await server.features({ signal });
  // If several tools have the same name, the first one is used.
  const byName = new Map(found.toReversed().map((tool) => [tool.name, tool]));
  const usable = found.filter((tool) => isToolName(tool.name) && byName.get(tool.name) === tool);
  const unusable = found
    .filter(({ name }) => !isToolName(name))
    .map(
      ({ name }) =>
        `The tool "${visible(name)}" of "${server.name}" is skipped: its name cannot be used in a rule.`,
    );
  const known: Known = {
    place: server.endpoint,
    tools: usable.filter((tool) => allowed.allows(server.name, tool.name)),
    names: usable.map((tool) => tool.name),
    features,
    complaints: [...server.complaints(), ...unusable].slice(0, maxComplaints),
  };
  return known as unknown as Json;
}
