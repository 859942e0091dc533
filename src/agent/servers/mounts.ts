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
  type ServerPlace,
} from '../../core/index.ts';
import { shutDown } from '../../run/lifecycle/stop.ts';
import { descriptorsOf } from '../../skills/discover/listing.ts';
import type { ServerRoot } from '../../skills/discover/roots.ts';
import { serverSecrets } from '../redaction.ts';
import { sandboxesOf, type Lender } from '../setup.ts';
import { knownServers, serverPlace } from './open-server.ts';

const none: Mounts = { roots: [], issues: [] };

/** The skills of servers as files: asked for once, and again when wanted; an agent without such servers loads nothing of it. */
export class LazyMounts {
  readonly #ground: MountGround;
  readonly #stop = new AbortController();
  #asking: Promise<void> | undefined;
  #temporary: string | undefined;
  #mounts = none;

  constructor(ground: MountGround) {
    this.#ground = ground;
  }

  /** What is there now; nothing before the servers were asked. */
  get current(): Mounts {
    return this.#mounts;
  }

  /** Asks the servers, once in the life of the agent, and calls `onMounted` where they gave anything; undefined where there are none. */
  once(onMounted: () => void): Promise<void> | undefined {
    if (this.#asking !== undefined || !this.#isWanted()) return this.#asking;
    this.#asking = this.#ask(false).then((isChanged) => {
      if (isChanged) onMounted();
    });
    return this.#asking;
  }

  /** Asks them again; tells whether anything is different now. */
  async again(): Promise<boolean> {
    await this.#asking;
    if (this.#mounts === none && !this.#isWanted()) return false;
    const asking = this.#ask(true);
    this.#asking = asking.then(() => undefined);
    return asking;
  }

  /** Asks nobody any more; whoever waits for an answer goes on without it. */
  stop(): void {
    this.#stop.abort(shutDown());
  }

  /** Stops, and removes copies that were made for this agent alone. */
  async close(): Promise<void> {
    this.stop();
    await this.#asking;
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
  }

  #isWanted(): boolean {
    const { options, setUp } = this.#ground.lender;
    if (options.only === true || this.#stop.signal.aborted) return false;
    return [options.mcpServers, setUp.settings.servers].some((servers) =>
      servers?.some(({ skills }) => skills === true),
    );
  }

  async #ask(isAgain: boolean): Promise<boolean> {
    const before = this.#mounts;
    if (this.#isWanted()) {
      const more = { folder: this.#folder(), isAgain, signal: this.#stop.signal };
      this.#mounts = await mountServers(this.#ground, more);
    } else this.#mounts = none;
    return !isDeepStrictEqual(before, this.#mounts);
  }

  #folder(): string {
    const cache = this.#ground.cacheFolder();
    if (cache !== undefined) return join(cache, 'servers');
    return (this.#temporary ??= mkdtempSync(join(tmpdir(), 'skilled-servers-')));
  }
}

/** What mounts stand on. */
interface MountGround {
  readonly lender: Lender;
  readonly families: readonly Family[];
  /** Where copies outlive the agent, if anywhere. */
  readonly cacheFolder: () => string | undefined;
}

/** What the servers gave. */
export interface Mounts {
  readonly roots: readonly ServerRoot[];
  readonly issues: readonly Issue[];
}

/** Asks all servers whose skills are wanted, at once; whatever is wrong is a finding. */
async function mountServers(
  { lender, families }: MountGround,
  more: Pick<MountRequest, 'folder' | 'isAgain' | 'signal'>,
): Promise<Mounts> {
  const { byFile } = descriptorsOf(families);
  const isDescriptor = (name: string): boolean => byFile.has(name.toLowerCase());
  const servers = knownServers(lender).filter(({ skills }) => skills === true);
  const mounted = await Promise.all(
    servers.map(async (server) => ({
      server: server.name,
      ...(await lender.ports.mountSkills({
        ...more,
        server: server.name,
        openPlace: () => openPlace(lender, server),
        isDescriptor,
      })),
    })),
  );
  const redact = createRedactor(serverSecrets(servers, lender.ports.environment)); // a server may say what it was given
  return {
    roots: mounted.flatMap(({ server, root }) => (root === undefined ? [] : [{ path: root, server }])),
    issues: mounted
      .flatMap(({ issues }) => issues)
      .map((issue) => ({ ...issue, message: redact(issue.message) })),
  };
}

/** Nobody is asked before a server is started for its skills, so it starts only where something contains it. */
async function openPlace(lender: Lender, server: ServerDescription): Promise<ServerPlace> {
  return serverPlace({ lender, sandboxes: sandboxesOf(lender) }, server, false);
}
