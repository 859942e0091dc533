import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { shutDown } from '../run/lifecycle/stop.ts';
import type { MountGround, Mounts } from './mount-servers.ts';

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
      const { mountServers } = await import('./mount-servers.ts');
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
