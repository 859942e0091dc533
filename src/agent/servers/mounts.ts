import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  createRedactor,
  type Family,
  type Issue,
  type MountRequest,
  type ServerDescription,
  type ServerEndpoint,
} from '../../core/index.ts';
import { shutDown } from '../../run/lifecycle/stop.ts';
import { descriptorsOf } from '../../skills/discover/listing.ts';
import type { ServerRoot } from '../../skills/discover/roots.ts';
import { serverSecrets } from '../redaction.ts';
import { sandboxesOf, type AgentContext } from '../setup.ts';
import { knownServers, serverEndpoint } from './open-server.ts';
import { RegisteredTools } from './server-tools.ts';

const none: Mounts = { roots: [], issues: [] };

/**
 * Manages the skills that servers provide as files. Downloads them once, and again only on request. Downloads
 * nothing if no server provides skills.
 */
export class LazyMounts {
  readonly #dependencies: MountDependencies;
  readonly #stop = new AbortController();
  #asking: Promise<void> | undefined;
  #temporary: string | undefined;
  #mounts = none;
  /** The tools of all configured servers. */
  readonly tools: RegisteredTools;

  constructor(dependencies: MountDependencies) {
    this.#dependencies = dependencies;
    this.tools = new RegisteredTools(dependencies);
  }

  /** The current mounts. Empty until the servers have responded. */
  get current(): Mounts {
    return this.#mounts;
  }

  /**
   * Queries the servers once per agent, and calls `onMounted` if the mounts changed. Returns undefined if
   * there is nothing to query.
   */
  once(onMounted: () => void): Promise<void> | undefined {
    const isRequested = this.#isRequested();
    const hasTools = !this.#stop.signal.aborted && this.tools.isMissing();
    if (this.#asking !== undefined || (!isRequested && !hasTools)) return this.#asking;
    const learning = hasTools ? this.tools.learn(this.#stop.signal) : undefined;
    const asking = isRequested ? this.#ask(false) : Promise.resolve(false);
    this.#asking = Promise.all([asking, learning]).then(([isChanged]) => {
      if (isChanged) onMounted();
    });
    return this.#asking;
  }

  /** Queries the servers again. Resolves to true if the mounts changed. */
  async again(): Promise<boolean> {
    await this.#asking;
    await this.tools.learn(this.#stop.signal, true);
    if (this.#mounts === none && !this.#isRequested()) return false;
    const asking = this.#ask(true);
    this.#asking = asking.then(() => undefined);
    return asking;
  }

  /** Stops querying servers. Pending calls continue without the servers' results. */
  stop(): void {
    this.#stop.abort(shutDown());
  }

  /** Stops querying servers and removes temporary copies of their skills. */
  async close(): Promise<void> {
    this.stop();
    await this.#asking;
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
  }

  #isRequested(): boolean {
    const { options, setUp } = this.#dependencies.context;
    if (options.only === true || this.#stop.signal.aborted) return false;
    return [options.mcpServers, setUp.settings.servers].some((servers) =>
      servers?.some(({ skills }) => skills === true),
    );
  }

  async #ask(isAgain: boolean): Promise<boolean> {
    const before = this.#mounts;
    if (this.#isRequested()) {
      const more = { folder: this.#folder(), isAgain, signal: this.#stop.signal };
      this.#mounts = await mountServers(this.#dependencies, more);
    } else this.#mounts = none;
    return !isDeepStrictEqual(before, this.#mounts);
  }

  #folder(): string {
    const cache = this.#dependencies.cacheFolder();
    if (cache !== undefined) return join(cache, 'servers');
    return (this.#temporary ??= mkdtempSync(join(tmpdir(), 'skilled-servers-')));
  }
}

/** Everything needed to mount servers' skills. */
interface MountDependencies {
  readonly context: AgentContext;
  readonly families: readonly Family[];
  /** The folder for copies that are kept after the agent shuts down, if there is one. */
  readonly cacheFolder: () => string | undefined;
  /** Called when the servers' tools have changed. */
  readonly onChanged: () => void;
}

/** The roots and issues that result from mounting servers. */
export interface Mounts {
  readonly roots: readonly ServerRoot[];
  readonly issues: readonly Issue[];
}

/** Queries all servers that provide skills, in parallel. Problems are returned as issues. */
async function mountServers(
  { context, families }: MountDependencies,
  more: Pick<MountRequest, 'folder' | 'isAgain' | 'signal'>,
): Promise<Mounts> {
  const { byFile } = descriptorsOf(families);
  const isDescriptor = (name: string): boolean => byFile.has(name.toLowerCase());
  const servers = knownServers(context).filter(({ skills }) => skills === true);
  const mounted = await Promise.all(
    servers.map(async (server) => ({
      server: server.name,
      ...(await context.ports.mountSkills({
        ...more,
        server: server.name,
        resolveEndpoint: () => resolveEndpoint(context, server),
        isDescriptor,
      })),
    })),
  );
  // Redact server messages, because they can contain the server's own secrets.
  const redact = createRedactor(serverSecrets(servers, context.ports.environment));
  return {
    roots: mounted.flatMap(({ server, root }) => (root === undefined ? [] : [{ path: root, server }])),
    issues: mounted
      .flatMap(({ issues }) => issues)
      .map((issue) => ({ ...issue, message: redact(issue.message) })),
  };
}

/**
 * Resolves the endpoint of a server that is started to read its skills. The server must run in a sandbox,
 * because no user has approved starting it.
 */
async function resolveEndpoint(context: AgentContext, server: ServerDescription): Promise<ServerEndpoint> {
  return serverEndpoint({ context, sandboxes: sandboxesOf(context) }, server, false);
}
