import { dirname, join } from 'node:path';
import { createRedactor, reasonOf, secretsIn, type Family, type Issue } from '../core/index.ts';
import { openFacts, type Facts } from '../skills/cache/facts.ts';
import { readKnowledge, removeOldCaches, writeKnowledge } from '../skills/cache/cache-file.ts';
import { nameFor } from '../skills/cache/own-file.ts';
import { memoOf, noKnowledge, type Knowledge } from '../skills/cache/memo.ts';
import { changedSinceAsked } from '../skills/digest/digest.ts';
import { discover } from '../skills/discover/discover.ts';
import type { Root } from '../skills/discover/listing.ts';
import { readPlugins } from '../skills/discover/plugins.ts';
import { standardRoots } from '../skills/discover/roots.ts';
import { bareDisk } from '../skills/discover/scan-state.ts';
import type { SkillLimits } from '../skills/limits.ts';
import type { IndexFile } from '../skills/rank/skill-index.ts';
import type { DiskContents } from '../skills/disk-skills.ts';
import type { Skills } from '../skills/skills.ts';
import type { Roots } from '../skills/watch/refresh.ts';
import { watchSkills, type Watching } from '../skills/watch/watch.ts';
import type { AgentOptions, Ports } from './options.ts';
import { namedSecrets } from './redaction.ts';
import type { Mounts } from './servers/mounts.ts';
import type { SetUp } from './setup.ts';

/** Everything needed to discover skills. */
interface DiscoveryDependencies {
  readonly options: AgentOptions;
  readonly ports: Ports;
  readonly families: readonly Family[];
  /** The limits for reading skills, fixed for the agent's lifetime. */
  readonly limits: SkillLimits;
  readonly setUp: () => SetUp;
  readonly skills: () => Skills;
  /** The skill roots and issues from servers that provide skills, as of the last mount. */
  readonly mounts: () => Mounts;
}

/** Finds an agent's skills on disk, caches their contents for the next start, and follows changes. */
export class Discovery {
  readonly #dependencies: DiscoveryDependencies;
  /** Facts about texts from an earlier start. Saved when the agent shuts down. */
  readonly facts: Facts;
  #watching: Watching | undefined;
  #hasLooked = false;

  constructor(dependencies: DiscoveryDependencies) {
    this.#dependencies = dependencies;
    const folder = this.cacheFolder();
    const file = folder === undefined ? undefined : join(folder, 'facts.json');
    this.facts = openFacts(file, () => this.#cacheKey());
  }

  /** Starts watching the disk, unless it is already being watched. */
  watch(): void {
    this.#watching ??= this.#watch();
  }

  /** Resolves when every watched folder has been scanned. */
  async watched(): Promise<void> {
    await this.#watching?.ready;
  }

  /** Scans all watched folders now. */
  async look(): Promise<void> {
    await this.#watching?.look();
  }

  /** Rescans the disk with the current roots. Does nothing before the first scan. */
  lookAgain(): void {
    const skills = this.#dependencies.skills();
    if (this.#hasLooked) skills.publish(this.discover(skills.extraRoots));
  }

  /** Rescans the disk. `isSame` is true if the watched paths have not changed. */
  async again(isSame: boolean): Promise<void> {
    const { skills } = this.#dependencies;
    if (this.#watching === undefined) {
      const touched = changedSinceAsked(skills().snapshot().skills);
      skills().publish(this.discover(skills().extraRoots), touched);
      return;
    }
    if (isSame) await this.#watching.sweep();
    else await this.#followAgain();
    skills().refresh();
  }

  async close(): Promise<void> {
    const watching = this.#watching;
    this.#watching = undefined;
    this.facts.save();
    await watching?.close();
  }

  /** Returns the roots in order of precedence, including those that do not exist. */
  roots(extraRoots: readonly string[]): Roots {
    const { home, bundledRoot } = this.#dependencies.ports;
    const mounts = this.#dependencies.mounts();
    const plugins = readPlugins(this.#dependencies.setUp().plugins, {
      startDir: this.#dependencies.options.startDir ?? home ?? '/',
      home,
      families: this.#dependencies.families,
    });
    const options = {
      ...this.#dependencies.options,
      additionalSkillRoots: [...extraRoots, ...(this.#dependencies.options.additionalSkillRoots ?? [])],
      ...(home === undefined ? {} : { home }),
      pluginRoots: plugins.roots,
      serverRoots: mounts.roots,
      bundledRoot,
    };
    const issues = [...plugins.issues, ...mounts.issues];
    return { roots: standardRoots(options, this.#dependencies.families, issues), issues };
  }

  /** Scans the disk once and returns the skills and issues found. */
  discover(extraRoots: readonly string[]): DiskContents {
    this.#hasLooked = true;
    this.#dependencies.ports.settleInstalled?.(this.#dependencies.options.startDir);
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
    const memo = file === undefined ? undefined : memoOf(knowledge, { limits: this.#dependencies.limits });
    const found = discover(roots, {
      ...this.scanOptions(),
      disk: memo ?? bareDisk(this.#dependencies.limits),
    });
    memo?.prune();
    return {
      discovered: found.discovered,
      issues: [
        ...this.#dependencies.setUp().issues,
        ...issues,
        ...found.issues,
        ...this.#save(file, knowledge),
      ],
    };
  }

  #watch(): Watching {
    const roots = (): Roots => this.roots(this.#dependencies.skills().extraRoots);
    const file = this.#cacheFile(roots().roots);
    return this.#withKnowledge(file, (knowledge) => {
      let cacheIssues: readonly Issue[] | undefined;
      return watchSkills({
        ...this.scanOptions(),
        knowledge,
        roots,
        publish: ({ discovered, issues, edits }, touched) => {
          // Save the cache only after the first scan. The next start detects later changes.
          cacheIssues ??= this.#save(file, knowledge);
          this.#dependencies.skills().publish(
            {
              discovered,
              issues: [...this.#dependencies.setUp().issues, ...issues, ...cacheIssues],
              edits,
            },
            touched,
          );
        },
      });
    });
  }

  /** Watches the current roots. The new watch starts before the old one ends, so no change is missed. */
  async #followAgain(): Promise<void> {
    const before = this.#watching;
    if (before === undefined) return;
    const after = this.#watch();
    this.#watching = after;
    await before.close();
    await after.ready;
  }

  /** Returns the options for scanning folders. */
  scanOptions(): {
    families: readonly Family[];
    limits: SkillLimits;
    allowSymlinkTargets: readonly string[];
  } {
    return {
      families: this.#dependencies.families,
      limits: this.#dependencies.limits,
      allowSymlinkTargets: this.#dependencies.setUp().allowSymlinkTargets,
    };
  }

  /**
   * Runs `work` with the cache from an earlier start. If `work` throws, runs it again with an empty cache.
   */
  #withKnowledge<Result>(file: string | undefined, work: (knowledge: Knowledge) => Result): Result {
    const known = file === undefined ? noKnowledge() : readKnowledge(file, this.#cacheKey(), this.#secrets());
    try {
      return work(known);
    } catch (thrown) {
      if (known.files.size + known.folders.size === 0) throw thrown;
      return work({ ...noKnowledge(), isChanged: true });
    }
  }

  /**
   * Saves the cache for the next start. If the folder is not writable, returns an issue instead of throwing.
   */
  #save(file: string | undefined, knowledge: Knowledge): readonly Issue[] {
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
      const message = `The skill cache could not be saved: ${reason}.`;
      return [{ level: 'info', code: 'cache.unwritable', message, file }];
    }
  }

  /** Returns the secrets that are known before any run, from the environment, options and settings. */
  #secrets(): readonly string[] {
    const { options, ports, setUp } = this.#dependencies;
    return [
      ...secretsIn(ports.environment),
      ...(options.secrets ?? []),
      ...namedSecrets(setUp().settings, options, ports.environment),
    ];
  }

  #cacheFile(roots: readonly Root[]): string | undefined {
    const folder = this.cacheFolder();
    if (folder === undefined) return undefined;
    return join(folder, `skills-${nameFor(JSON.stringify(roots))}.json`);
  }

  /** Returns the file for the ranking's index of the current roots, or undefined if skills are not cached. */
  indexFile(): IndexFile | undefined {
    const file = this.#cacheFile(this.roots(this.#dependencies.skills().extraRoots).roots);
    if (file === undefined) return undefined;
    const secrets = this.#secrets();
    const families = new Set(this.#ownFamilies());
    const redact = createRedactor(secrets);
    return {
      file: file.replace(/skills-(\w+)\.json$/, 'ranking-$1.bin'),
      // Settings can change descriptions, and a secret that is added later may be in the file.
      key: JSON.stringify([this.#cacheKey(), this.#dependencies.setUp().settings.skills, secrets]),
      mayStore: ({ family, name, card: { description, whenToUse = '' } }, body) => {
        const text = JSON.stringify([name, description, whenToUse, body]);
        return families.has(family) && redact(text) === text;
      },
    };
  }

  /** Returns the cache folder, or undefined if skills are not cached. */
  cacheFolder(): string | undefined {
    const { cache = false } = this.#dependencies.options;
    return cache === true ? this.#dependencies.ports.cacheFolder : cache || undefined;
  }

  #cacheKey(): string {
    const { ports, limits } = this.#dependencies;
    return JSON.stringify([ports.cacheKey, limits, this.#ownFamilies()]);
  }

  /**
   * Returns the ids of the families whose parsers change only when `cacheKey` changes. Changes to the parsers
   * of other families cannot be detected.
   */
  #ownFamilies(): readonly string[] {
    return this.#dependencies.families
      .filter((family) => this.#dependencies.ports.families.includes(family))
      .map(({ id }) => id);
  }
}
