import { reasonOf } from '../core/error.ts';
import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Family } from '../core/family.ts';
import type { Issue } from '../core/issue.ts';
import type { JsonObject } from '../core/json.ts';
import type { RunHandle } from '../core/run-handle.ts';
import { optional } from '../core/optional.ts';
import type { Rendering } from '../core/rendering.ts';
import type { RunRequest } from '../core/run.ts';
import { defaultSession } from '../core/session.ts';
import { changedSinceAsked } from '../skills/asked-digests.ts';
import { binariesOn, type Binaries } from '../skills/binaries.ts';
import { removeOldCaches } from '../skills/cache-age.ts';
import { readKnowledge, writeKnowledge } from '../skills/cache-file.ts';
import { discover } from '../skills/discover.ts';
import { bareDisk } from '../skills/disk.ts';
import type { World } from '../skills/eligibility.ts';
import { variable } from '../skills/environment.ts';
import type { SkillLimits } from '../skills/limits.ts';
import type { Roots } from '../skills/look.ts';
import { memoOf, noKnowledge, type Knowledge } from '../skills/memo.ts';
import { pluginRoots } from '../skills/plugins.ts';
import { SkillRanking } from '../skills/rank.ts';
import type { Registry } from '../skills/registry.ts';
import type { Root } from '../skills/root.ts';
import { standardRoots } from '../skills/roots.ts';
import { Skills, type Disk } from '../skills/skills.ts';
import { watchSkills, type Watching } from '../skills/watch.ts';
import { newRunId } from '../run/identity.ts';
import type { Stop } from '../run/stop.ts';
import type { Attendance, Runs } from '../run/runs.ts';
import { attend } from './attend.ts';
import type { Lender } from './lender.ts';
import type { AgentOptions, Ports } from './options.ts';
import { renderSkill, type RenderOptions } from './render-skill.ts';
import { RunHistory } from './run-history.ts';
import { LazyWorks } from './run-works.ts';
import { sessionOf, type AgentSession } from './session.ts';
import { distinctFamilies, setUpOf, type SetUp } from './set-up.ts';

/** The entry of the runtime: finds skills, keeps them in one registry and runs them. */
export class RecursiveSkilledAgent {
  readonly families: readonly Family[];
  readonly skills: Skills;
  /** The guards while skills are read, fixed for the life of the agent. */
  readonly limits: SkillLimits;
  /** The runs that the store knows. */
  readonly runs: RunHistory;
  readonly #options: AgentOptions;
  readonly #ports: Ports;
  readonly #binaries: Binaries;
  readonly #ranking: SkillRanking;
  readonly #lender: Lender;
  readonly #works: LazyWorks;
  #setUp: SetUp;
  #watching: Watching | undefined;

  constructor(options: AgentOptions, ports: Ports) {
    this.#options = options;
    this.#ports = ports;
    this.families = distinctFamilies(options.families ?? ports.families);
    this.#setUp = setUpOf(options, ports);
    this.limits = this.#setUp.limits;
    this.#binaries = binariesOf(ports);
    this.#ranking = new SkillRanking({
      limits: this.limits,
      openEmbedder: options.embeddings === false ? undefined : ports.openEmbedder,
      cacheFolder: this.#cacheFolder(),
    });
    this.skills = new Skills({
      families: this.families,
      builtins: ports.builtins,
      world: this.#world(),
      ranking: this.#ranking,
      startDir: options.startDir,
      discover: (extraRoots) => this.#discover(extraRoots),
      scan: (roots) => discover(roots, this.#scanOptions()),
      onRootAdded: async () => this.#watching?.look(),
    });
    const setUp = (): SetUp => this.#setUp;
    const { skills } = this;
    this.#lender = {
      ...{ options, ports, skills },
      get setUp() {
        return setUp();
      },
    };
    this.#works = new LazyWorks(this.#lender);
    this.runs = new RunHistory(() => this.#works.open());
  }

  /** Calls a skill as a run of its own, which begins at once; an aborted signal begins nothing. */
  run(request: RunRequest): RunHandle {
    return this.#begin(request);
  }

  /** What code does for one user: skills and commands, whose value is awaited and whose failures are thrown. */
  session(id: string = defaultSession): AgentSession {
    return sessionOf(id, { lender: this.#lender, begin: (...run) => this.#begin(...run) });
  }

  /** The text of a skill with everything put in, nothing of it run; throws `usage.bad-input` where it has none. */
  render(name: string, options: RenderOptions = {}): Rendering {
    return renderSkill(this.#lender, name, options);
  }

  /** Resolves when the skills are known and, if asked for, watched. */
  async ready(): Promise<this> {
    if (this.#options.watch === true) this.#watching ??= this.#watch();
    this.skills.snapshot();
    await this.#watching?.ready;
    return this;
  }

  /** Looks at the settings, the disk and the machine again; the registry changes only where they did. */
  async reload(): Promise<void> {
    const before = this.#setUp;
    this.#setUp = setUpOf(this.#options, this.#ports);
    this.#binaries.forget();
    if (this.#watching === undefined) {
      const touched = changedSinceAsked(this.skills.snapshot().skills);
      this.skills.publish(this.#discover(this.skills.extraRoots), touched);
      return;
    }
    if (isDeepStrictEqual(before, this.#setUp)) await this.#watching.sweep();
    else await this.#followAgain();
    this.skills.refresh();
  }

  /** Folders into which links may lead although they lie outside every root. */
  get allowSymlinkTargets(): readonly string[] {
    return this.#setUp.allowSymlinkTargets;
  }

  /** The roots in order of precedence, missing ones included. */
  roots(): readonly Root[] {
    return this.#roots(this.skills.extraRoots).roots;
  }

  /** Lets runs end, stops watching and learning, and closes everything; the registry stays readable. */
  async shutdown(): Promise<void> {
    const watching = this.#watching;
    this.#watching = undefined;
    await Promise.all([watching?.close(), this.#ranking.close(), this.#works.close()]);
  }

  /** Lets `await using` end the agent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #begin(request: RunRequest, registry?: () => Registry): RunHandle {
    const id = newRunId();
    const work = (runs: Runs, attendance: Attendance): Promise<Stop> =>
      runs.start(id, request, { ...attendance, ...optional('registry', registry) });
    return attend(id, request.skill, () => this.#works.open(), work, request.signal);
  }

  /** Reads through to the current settings, so that a reload needs no new world. */
  #world(): World {
    const setUp = (): SetUp => this.#setUp;
    return {
      platform: this.#ports.platform,
      environment: this.#ports.environment,
      hasBinary: (name) => this.#binaries.has(name),
      get skills() {
        return setUp().settings.skills ?? {};
      },
      get settings() {
        const { settings } = setUp();
        return settings.all ?? (settings as JsonObject);
      },
    };
  }

  #roots(extraRoots: readonly string[]): Roots {
    const { home, bundledRoot } = this.#ports;
    const plugins = pluginRoots(this.#setUp.plugins, this.#options.startDir ?? home ?? '/');
    const options = {
      ...this.#options,
      additionalSkillRoots: [...extraRoots, ...(this.#options.additionalSkillRoots ?? [])],
      ...(home === undefined ? {} : { home }),
      pluginRoots: plugins.roots,
      bundledRoot,
    };
    return { roots: standardRoots(options, this.families), issues: plugins.issues };
  }

  #discover(extraRoots: readonly string[]): Disk {
    const { roots, issues } = this.#roots(extraRoots);
    const file = this.#cacheFile(roots);
    return this.#withKnowledge(file, (knowledge) => this.#discoverWith(knowledge, roots, issues, file));
  }

  #discoverWith(
    knowledge: Knowledge,
    roots: readonly Root[],
    issues: readonly Issue[],
    file: string | undefined,
  ): Disk {
    const memo = file === undefined ? undefined : memoOf(knowledge, { limits: this.limits });
    const found = discover(roots, { ...this.#scanOptions(), disk: memo ?? bareDisk(this.limits) });
    memo?.prune();
    return {
      discovered: found.discovered,
      issues: [...this.#setUp.issues, ...issues, ...found.issues, ...this.#keep(file, knowledge)],
    };
  }

  #watch(): Watching {
    const roots = (): Roots => this.#roots(this.skills.extraRoots);
    const file = this.#cacheFile(roots().roots);
    return this.#withKnowledge(file, (knowledge) => {
      let kept: readonly Issue[] | undefined;
      return watchSkills({
        ...this.#scanOptions(),
        knowledge,
        roots,
        publish: ({ discovered, issues }, touched) => {
          kept ??= this.#keep(file, knowledge); // once: the next start verifies what changes later
          this.skills.publish({ discovered, issues: [...this.#setUp.issues, ...issues, ...kept] }, touched);
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

  #scanOptions(): {
    families: readonly Family[];
    limits: SkillLimits;
    allowSymlinkTargets: readonly string[];
  } {
    return { families: this.families, limits: this.limits, allowSymlinkTargets: this.allowSymlinkTargets };
  }

  /** Works with what an earlier start learned; where that leads astray, everything is read again. */
  #withKnowledge<Result>(file: string | undefined, work: (knowledge: Knowledge) => Result): Result {
    const known = file === undefined ? noKnowledge() : readKnowledge(file, this.#cacheKey());
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
      writeKnowledge(file, this.#cacheKey(), knowledge, new Set(this.#ownFamilies()));
      removeOldCaches(dirname(file));
      return [];
    } catch (thrown) {
      const reason = reasonOf(thrown);
      const message = `What was read cannot be kept for the next start: ${reason}.`;
      return [{ level: 'info', code: 'cache.unwritable', message, file }];
    }
  }

  #cacheFile(roots: readonly Root[]): string | undefined {
    const folder = this.#cacheFolder();
    if (folder === undefined) return undefined;
    return join(folder, `skills-${hash('sha256', JSON.stringify(roots)).slice(0, 16)}.json`);
  }

  #cacheFolder(): string | undefined {
    const { cache = false } = this.#options;
    return cache === true ? this.#ports.cacheFolder : cache || undefined;
  }

  #cacheKey(): string {
    return hash('sha256', JSON.stringify([this.#ports.cacheKey, this.limits, this.#ownFamilies()]));
  }

  /** The families whose parsers change only with `cacheKey`; nobody can tell when those of others do. */
  #ownFamilies(): readonly string[] {
    return this.families.filter((family) => this.#ports.families.includes(family)).map(({ id }) => id);
  }
}

function binariesOf({ environment, platform }: Ports): Binaries {
  const extensions =
    platform === 'win32' ? (variable(environment, 'PATHEXT') ?? '.EXE;.CMD;.BAT').split(';') : [''];
  return binariesOn(() => variable(environment, 'PATH') ?? '', extensions);
}
