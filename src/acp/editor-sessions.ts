import { methods, RequestError, type AvailableCommand, type McpServer } from '@agentclientprotocol/sdk';
import type { AgentContext } from '@agentclientprotocol/sdk';
import type { BareAgent } from '../agent/recursive-skilled-agent.ts';

/** The start of the ids of sessions that editors open. */
export const sessionPrefix = 'acp-';

/** Opens the agent of a project, with the MCP servers that the editor adds. */
export type OpenProject = (cwd: string, servers: readonly McpServer[]) => Promise<BareAgent>;

/** A session of the connected editor. */
export interface EditorSession {
  readonly id: string;
  readonly cwd: string;
  readonly agent: BareAgent;
  /** Cancels the turn in progress. */
  turn: AbortController | undefined;
  /** Stops following the project's skills. */
  readonly stop: () => void;
}

// The time in which cancelled runs must end, in milliseconds. Unfinished runs can be resumed later.
const drainMs = 1_500;

/** The sessions of one editor, and the agents of their projects. Each project has one agent. */
export class EditorSessions implements AsyncDisposable {
  readonly #open: OpenProject;
  readonly #agents = new Map<string, Promise<BareAgent>>();
  readonly #sessions = new Map<string, EditorSession>();

  constructor(open: OpenProject) {
    this.#open = open;
  }

  /** The folders of the open sessions. */
  get folders(): readonly string[] {
    return [...new Set([...this.#sessions.values()].map(({ cwd }) => cwd))];
  }

  agentFor(cwd: string, servers: readonly McpServer[] = []): Promise<BareAgent> {
    const key = JSON.stringify([cwd, servers]);
    const opened = this.#agents.get(key) ?? this.#open(cwd, servers);
    this.#agents.set(key, opened);
    opened.catch(() => this.#agents.delete(key)); // The next request tries again.
    return opened;
  }

  /** Opens a session, and sends the editor the project's commands now and after each change. */
  async open(
    id: string,
    { cwd, mcpServers }: { readonly cwd: string; readonly mcpServers?: readonly McpServer[] },
    client: AgentContext,
  ): Promise<EditorSession> {
    if (!id.startsWith(sessionPrefix)) throw RequestError.resourceNotFound(id);
    const agent = await this.agentFor(cwd, mcpServers);
    const offer = (): void => {
      const availableCommands = commandsOf(agent);
      client
        .notify(methods.client.session.update, {
          sessionId: id,
          update: { sessionUpdate: 'available_commands_update', availableCommands },
        })
        .catch(() => this.close(id)); // The editor has closed the connection.
    };
    this.close(id);
    const session = { id, cwd, agent, turn: undefined, stop: agent.skills.subscribe(offer) };
    this.#sessions.set(id, session);
    setImmediate(offer); // After the response, so that the editor knows the session.
    return session;
  }

  /** Returns an open session. Throws the protocol's error for an unknown one. */
  get(id: string): EditorSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw RequestError.resourceNotFound(id);
    return session;
  }

  /** Cancels the turn of a session. Does nothing without one. */
  cancel(id: string): void {
    this.#sessions.get(id)?.turn?.abort();
  }

  /** Closes a session and cancels its turn. Its messages stay in the store. */
  close(id: string): void {
    this.cancel(id);
    this.#sessions.get(id)?.stop();
    this.#sessions.delete(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of [...this.#sessions.keys()]) this.close(id);
    for (const [opened] of await Promise.all(
      [...this.#agents.values()].map((one) => Promise.allSettled([one])),
    ))
      if (opened.status === 'fulfilled') await opened.value.shutdown({ drainMs });
  }
}

/** Returns the skills that people can call with a slash. */
function commandsOf(agent: BareAgent): AvailableCommand[] {
  return agent.skills
    .list()
    .filter(({ status, card }) => status === 'ready' && card.userInvocable !== false)
    .map(({ name, card: { description, argumentHint: hint } }) => ({
      name,
      description,
      ...(hint === undefined ? {} : { input: { hint } }),
    }));
}
