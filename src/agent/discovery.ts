import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { createRedactor, reasonOf, secretsIn, type Family, type Issue } from '../core/index.ts';
import { readKnowledge, removeOldCaches, writeKnowledge } from '../skills/cache/cache-file.ts';
import { memoOf, noKnowledge, type Knowledge } from '../skills/cache/memo.ts';
import { changedSinceAsked } from '../skills/digest/digest.ts';
import { discover } from '../skills/discover/discover.ts';
import type { Root } from '../skills/discover/listing.ts';
import { pluginRoots, standardRoots } from '../skills/discover/roots.ts';
import { bareDisk } from '../skills/discover/scan-state.ts';
import type { SkillLimits } from '../skills/limits.ts';
import type { DiskContents, Skills } from '../skills/skills.ts';
import type { Roots } from '../skills/watch/refresh.ts';
import { watchSkills, type Watching } from '../skills/watch/watch.ts';
import type { AgentOptions, Ports } from './options.ts';
import { namedSecrets } from './redaction.ts';
import type { Mounts } from './servers/mounts.ts';
import type { SetUp } from './setup.ts';

/** What looks for skills stand on. */
interface DiscoveryGround {
  readonly options: AgentOptions;
  readonly ports: Ports;
  readonly families: readonly Family[];
  /** Fixed for the life of the agent. */
  readonly limits: SkillLimits;
  readonly setUp: () => SetUp;
  readonly skills: () => Skills;
  /** What the servers gave whose skills are wanted. */
  readonly mounts: () => Mounts;
}

/** Where an agent finds skills on disk, what it remembers of them for the next start, and how it follows changes. */
export class Discovery {
  readonly #ground: DiscoveryGround;
  #watching: Watching | undefined;
  #hasLooked = false;

  constructor(ground: DiscoveryGround) {
    this.#ground = ground;
  }

  /** Begins to follow the disk, where nothing does yet. */
  watch(): void {
    this.#watching ??= this.#watch();
  }

  /** Resolves when everything that is followed was looked at once. */
  async watched(): Promise<void> {
    await this.#watching?.ready;
  }

  /** Looks now at what is followed. */
  async look(): Promise<void> {
    await this.#watching?.look();
  }

  /** Looks once more where somebody looked already, because there are other roots now. */
  lookAgain(): void {
    const skills = this.#ground.skills();
    if (this.#hasLooked) skills.publish(this.discover(skills.extraRoots));
  }

  /** Looks at everything again; `isSame` says that the same places are to be followed. */
  async again(isSame: boolean): Promise<void> {
    const { skills } = this.#ground;
    if (this.#watching === undefined) {
      const touched = changedSinceAsked(skills().snapshot().skills);
      skills().publish(this.discover(skills().extraRoots), touched);
      return;
    }
    if (isSame) await this.#watching.sweep();
    else await this.#followAgain();
    skills().refresh();
  }

  /** Follows nothing any more. */
  async close(): Promise<void> {
    const watching = this.#watching;
    this.#watching = undefined;
    await watching?.close();
  }

  /** The roots in order of precedence, missing ones included. */
  roots(extraRoots: readonly string[]): Roots {
    const { home, bundledRoot } = this.#ground.ports;
    const mounts = this.#ground.mounts();
    const plugins = pluginRoots(this.#ground.setUp().plugins, this.#ground.options.startDir ?? home ?? '/');
    const options = {
      ...this.#ground.options,
      additionalSkillRoots: [...extraRoots, ...(this.#ground.options.additionalSkillRoots ?? [])],
      ...(home === undefined ? {} : { home }),
      pluginRoots: plugins.roots,
      serverRoots: mounts.roots,
      bundledRoot,
    };
    const issues = [...plugins.issues, ...mounts.issues];
    return { roots: standardRoots(options, this.#ground.families), issues };
  }

  /** One look at the disk. */
  discover(extraRoots: readonly string[]): DiskContents {
    this.#hasLooked = true;
    const { roots, issues } = this.roots(extraRoots);
    const file = this.#cacheFile(roots);
    return this.#withKnowledge(file, (knowledge) => this.#discoverWith(knowledge, roots, issues, file));
  }

  #discoverWith(
    knowledge: Knowledge,
    roots: readonly Root[],
    issues: readonly Issue[],
    file: string | undefined,
  ): DiskContents {
    const memo = file === undefined ? undefined : memoOf(knowledge, { limits: this.#ground.limits });
    const found = discover(roots, { ...this.scanOptions(), disk: memo ?? bareDisk(this.#ground.limits) });
    memo?.prune();
    return {
      discovered: found.discovered,
      issues: [...this.#ground.setUp().issues, ...issues, ...found.issues, ...this.#keep(file, knowledge)],
    };
  }

  #watch(): Watching {
    const roots = (): Roots => this.roots(this.#ground.skills().extraRoots);
    const file = this.#cacheFile(roots().roots);
    return this.#withKnowledge(file, (knowledge) => {
      let kept: readonly Issue[] | undefined;
      return watchSkills({
        ...this.scanOptions(),
        knowledge,
        roots,
        publish: ({ discovered, issues }, touched) => {
          kept ??= this.#keep(file, knowledge); // once: the next start verifies what changes later
          this.#ground
            .skills()
            .publish({ discovered, issues: [...this.#ground.setUp().issues, ...issues, ...kept] }, touched);
        },
      });
    });
  }

  /** Watches what is to be watched now; the new watch stands before the old one ends, so that nothing is missed. */
  async #followAgain(): Promise<void> {
    const before = this.#watching;
    if (before === undefined) return;
    const after = this.#watch();
    this.#watching = after;
    await before.close();
    await after.ready;
  }

  /** How folders are looked through. */
  scanOptions(): {
    families: readonly Family[];
    limits: SkillLimits;
    allowSymlinkTargets: readonly string[];
  } {
    return {
      families: this.#ground.families,
      limits: this.#ground.limits,
      allowSymlinkTargets: this.#ground.setUp().allowSymlinkTargets,
    };
  }

  /** Works with what an earlier start learned; where that leads astray, everything is read again. */
  #withKnowledge<Result>(file: string | undefined, work: (knowledge: Knowledge) => Result): Result {
    const known = file === undefined ? noKnowledge() : readKnowledge(file, this.#cacheKey(), this.#secrets());
    try {
      return work(known);
    } catch (thrown) {
      if (known.files.size + known.folders.size === 0) throw thrown;
      return work({ ...noKnowledge(), isChanged: true });
    }
  }

  /** Keeps what was learned for the next start; a folder that cannot be written is worth a note, not a failure. */
  #keep(file: string | undefined, knowledge: Knowledge): readonly Issue[] {
    if (file === undefined || !knowledge.isChanged) return [];
    try {
      writeKnowledge(file, this.#cacheKey(), knowledge, {
        families: new Set(this.#ownFamilies()),
        redact: createRedactor(this.#secrets()),
      });
      removeOldCaches(dirname(file));
      return [];
    } catch (thrown) {
      const reason = reasonOf(thrown);
      const message = `What was read cannot be kept for the next start: ${reason}.`;
      return [{ level: 'info', code: 'cache.unwritable', message, file }];
    }
  }

  /** The secrets that are known before a run: of the environment, the options and the settings. */
  #secrets(): readonly string[] {
    const { options, ports, setUp } = this.#ground;
    return [
      ...secretsIn(ports.environment),
      ...(options.secrets ?? []),
      ...namedSecrets(setUp().settings, options, ports.environment),
    ];
  }

  #cacheFile(roots: readonly Root[]): string | undefined {
    const folder = this.cacheFolder();
    if (folder === undefined) return undefined;
    return join(folder, `skills-${hash('sha256', JSON.stringify(roots)).slice(0, 16)}.json`);
  }

  /** Where knowledge is kept for the next start, if anywhere. */
  cacheFolder(): string | undefined {
    const { cache = false } = this.#ground.options;
    return cache === true ? this.#ground.ports.cacheFolder : cache || undefined;
  }

  #cacheKey(): string {
    return hash(
      'sha256',
      JSON.stringify([this.#ground.ports.cacheKey, this.#ground.limits, this.#ownFamilies()]),
    );
  }

  /** The families whose parsers change only with `cacheKey`; nobody can tell when those of others do. */
  #ownFamilies(): readonly string[] {
    return this.#ground.families
      .filter((family) => this.#ground.ports.families.includes(family))
      .map(({ id }) => id);
  }
}
