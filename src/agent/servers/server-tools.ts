import { join } from 'node:path';
import {
  createRedactor,
  deadline,
  hashOf,
  isAgentError,
  isJsonObject,
  parseJson,
  reasonOf,
  type Family,
  type Issue,
  type Json,
  type ProvidedSkill,
  type Scope,
  type ServerDescription,
  type ServerToolSkill,
  type SkillCard,
  type ToolServer,
} from '../../core/index.ts';
import { identityOf, type ListedServer } from '../../engines/servers/list-tools.ts';
import { isToolName } from '../../engines/servers/allowed-tools.ts';
import { toolSkill } from '../../engines/servers/tool-skill.ts';
import { readOwnFile, writeOwnFile } from '../../skills/cache/own-file.ts';
import type { Applicant } from '../../skills/registry/collisions.ts';
import { serverSecrets } from '../redaction.ts';
import { sandboxesOf, type AgentContext } from '../setup.ts';
import { knownServers, serverEndpoint } from './open-server.ts';

/** A server's endpoint and tools, as the server last listed them. Stored in the cache. */
type KnownTools = Pick<ListedServer, 'place' | 'tools'>;

/** Everything needed to list servers' tools. */
interface ToolDependencies {
  readonly context: AgentContext;
  readonly families: readonly Family[];
  /** The folder for tool lists that are kept after the agent shuts down, if there is one. */
  readonly cacheFolder: () => string | undefined;
  /** Called when the servers' tools have changed. */
  readonly onChanged: () => void;
}

const listingMs = 30_000;

/**
 * Registers the tools of the configured servers as skills. A server whose tool list is cached is started only
 * when one of its tools is called.
 */
export class RegisteredTools {
  readonly #dependencies: ToolDependencies;
  readonly #known = new Map<string, KnownTools>();
  #issues: readonly Issue[] = [];
  #applicants: readonly Applicant[] = [];
  #published = JSON.stringify([[], [], []]);

  constructor(dependencies: ToolDependencies) {
    this.#dependencies = dependencies;
  }

  get applicants(): readonly Applicant[] {
    return this.#applicants;
  }

  /** Issues from listing the servers' tools and caching the lists. */
  get issues(): readonly Issue[] {
    return this.#issues;
  }

  /** Whether the tools of any configured server are still unknown. */
  isMissing(): boolean {
    return this.#servers().some(({ name }) => !this.#known.has(name));
  }

  /** Loads the tools of all servers. Uses the cache unless `isAgain` is true. Never rejects. */
  async learn(signal: AbortSignal, isAgain = false): Promise<void> {
    const servers = this.#servers();
    const found = await Promise.all(servers.map((server) => this.#learnOne(server, signal, isAgain)));
    this.#issues = found.flatMap((issue) => issue ?? []);
    for (const name of this.#known.keys())
      if (!servers.some((server) => server.name === name)) this.#known.delete(name);
    this.#publish();
  }

  async #learnOne(
    server: ServerDescription,
    signal: AbortSignal,
    isAgain: boolean,
  ): Promise<Issue | undefined> {
    const cached = isAgain ? undefined : this.#readCache(server);
    if (cached !== undefined) {
      this.#known.set(server.name, cached);
      return undefined;
    }
    const { context } = this.#dependencies;
    using limit = deadline(listingMs, undefined, signal);
    let live: ToolServer | undefined;
    try {
      // The server must run in a sandbox, because no user has approved starting it.
      const endpoint = serverEndpoint({ context, sandboxes: sandboxesOf(context) }, server, false);
      live = await context.ports.openServer(endpoint);
      this.#remember(server, await describe(live, limit.signal));
      return undefined;
    } catch (thrown) {
      // The same error is reported when the server's skills are mounted.
      if (server.skills === true) return undefined;
      const redact = createRedactor(serverSecrets([server], context.ports.environment));
      const hint = (isAgentError(thrown) ? thrown.hint : undefined) ?? 'Check the server: `skilled doctor`';
      const message = `The tools of the server "${server.name}" are not available: ${redact(reasonOf(thrown))}`;
      return { level: 'warning', code: 'server.tools', message, hint };
    } finally {
      await live?.close();
    }
  }

  #servers(): readonly ServerDescription[] {
    const { context } = this.#dependencies;
    return context.options.only === true ? [] : knownServers(context);
  }

  #remember(server: ServerDescription, known: KnownTools): void {
    this.#known.set(server.name, known);
    const file = this.#cacheFile(server);
    const text = JSON.stringify({ key: keyOf(server), known });
    const redact = createRedactor(serverSecrets([server], this.#dependencies.context.ports.environment));
    if (file === undefined || redact(text) !== text) return; // Never write a server's secrets to the cache.
    try {
      writeOwnFile(file, [Buffer.from(text)]);
    } catch (thrown) {
      const message = `The tools of the server "${server.name}" could not be cached: ${reasonOf(thrown)}.`;
      this.#issues = [...this.#issues, { level: 'info', code: 'cache.unwritable', message, file }];
    }
  }

  #readCache(server: ServerDescription): KnownTools | undefined {
    const file = this.#cacheFile(server);
    if (file === undefined) return undefined;
    let read: Json | undefined;
    try {
      read = parseJson(readOwnFile(file).bytes.toString('utf8'));
    } catch {
      return undefined; // Without a readable cache, the server's tools must be queried.
    }
    if (!isJsonObject(read) || read['key'] !== keyOf(server) || !isJsonObject(read['known']))
      return undefined;
    return read['known'] as unknown as KnownTools;
  }

  #cacheFile({ name }: ServerDescription): string | undefined {
    const folder = this.#dependencies.cacheFolder();
    return folder === undefined ? undefined : join(folder, 'server-tools', `${name}.json`);
  }

  /** Registers the known tools if they have changed since the last call. */
  #publish(): void {
    const content = JSON.stringify([[...this.#known], this.#servers().map(keyOf), this.#issues]);
    if (content === this.#published) return;
    this.#published = content;
    this.#applicants = this.#servers().flatMap((server) => {
      const known = this.#known.get(server.name);
      return known === undefined ? [] : this.#applicantsOf(server, known);
    });
    this.#dependencies.onChanged();
  }

  #applicantsOf(server: ServerDescription, known: KnownTools): readonly Applicant[] {
    const { name } = server;
    const listed: Parameters<typeof toolSkill>[0] = {
      name,
      place: known.place,
      identity: identityOf(name),
      open: (scope) => scope.resources.server(name),
    };
    return known.tools.flatMap((definition) => {
      const tool = toolSkill(listed, definition);
      const run: ProvidedSkill['run'] = async (input, scope) => {
        const output = await tool.run(input, scope);
        if (output.status === 'done' || output.error.code === 'server.changed')
          await this.#follow(server, known, scope);
        return output;
      };
      return applicantsOf({ ...tool, run }, name, this.#dependencies.families);
    });
  }

  /** Registers a connected server's tools for later runs if they differ from the known tools. */
  async #follow(server: ServerDescription, before: KnownTools, scope: Scope): Promise<void> {
    const live = await scope.resources.server(server.name);
    const now = await describe(live, scope.signal);
    const hashes = ({ tools }: KnownTools): string => tools.map(({ name, hash }) => name + hash).join();
    if (hashes(now) === hashes(this.#known.get(server.name) ?? before)) return;
    this.#remember(server, now);
    this.#publish();
  }
}

async function describe(server: ToolServer, signal: AbortSignal): Promise<KnownTools> {
  const tools = (await server.tools({ signal })).filter(({ name }) => isToolName(name));
  // If a name occurs more than once, keep the first tool with that name.
  const byName = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
  return { place: server.endpoint, tools: tools.filter((tool) => byName.get(tool.name) === tool) };
}

/** Returns a digest of a server's configuration, with the names of variables instead of their values. */
function keyOf(server: ServerDescription): string {
  return hashOf(['server-tools 1', server as unknown as Json]);
}

/**
 * Converts a tool to a skill of the family that adopts it. Returns an empty list if the agent has no such
 * family.
 */
function applicantsOf(
  tool: ProvidedSkill,
  server: string,
  families: readonly Family[],
): readonly Applicant[] {
  const { name, card } = tool;
  const codeDefinition: ServerToolSkill = { kind: 'skill', name, description: card.description, tool };
  const family = families.find((one) => one.adopt?.(codeDefinition) !== undefined);
  if (family === undefined) return [];
  const nowhere = { root: '', dir: '', file: '', stem: '', group: '', loose: false };
  const origin = { ...nowhere, family, source: tool.source, codeDefinition, server };
  const own: SkillCard = { ...card, allowedSkills: [] };
  return [{ origin, draft: { name, card: own, issues: [], usable: true, sum: tool.digest } }];
}
