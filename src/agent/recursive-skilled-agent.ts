import type { Family } from '../core/family.ts';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Issue } from '../core/issue.ts';
import { binariesOn } from '../skills/binaries.ts';
import { noKnowledge, readKnowledge, writeKnowledge } from '../skills/cache-file.ts';
import { discover, type Discovered } from '../skills/discover.ts';
import { bareDisk } from '../skills/disk.ts';
import type { World } from '../skills/eligibility.ts';
import { defaultSkillLimits, type SkillLimits } from '../skills/limits.ts';
import { memoOf, type Memo } from '../skills/memo.ts';
import { pluginRoots } from '../skills/plugins.ts';
import type { Root } from '../skills/root.ts';
import { standardRoots } from '../skills/roots.ts';
import { Skills } from '../skills/skills.ts';
import { watchSkills, type Watching } from '../skills/watch.ts';
import type { AgentOptions, Ports, Settings } from './options.ts';

/** The entry of the runtime: finds skills, keeps them in one registry and, in time, runs them. */
export class RecursiveSkilledAgent {
  readonly families: readonly Family[];
  readonly skills: Skills;
  readonly limits: SkillLimits;
  readonly #options: AgentOptions;
  readonly #ports: Ports;
  readonly #settings: Settings;
  readonly #setupIssues: readonly Issue[];
  readonly #binaries: ReturnType<typeof binariesOn>;
  #watching: Watching | undefined;
  #memo: Memo | undefined;

  constructor(options: AgentOptions, ports: Ports) {
    this.#options = options;
    this.#ports = ports;
    this.families = options.families ?? ports.families;
    const { settings, issues } = settingsOf(options, ports);
    this.#settings = settings;
    this.#setupIssues = issues;
    this.limits = { ...defaultSkillLimits, ...settings.limits, ...options.limits };
    this.#binaries = binariesOn(ports.environment['PATH'] ?? '');
    this.skills = new Skills({
      families: this.families,
      builtins: ports.builtins,
      world: this.#world(),
      discover: (extraRoots) => this.#discover(extraRoots),
    });
  }

  /** Resolves when the skills are known and, if asked for, watched. */
  async ready(): Promise<this> {
    if (this.#options.watch === true && this.#watching === undefined) this.#watching = this.#watch();
    this.skills.snapshot();
    await this.#watching?.ready;
    return this;
  }

  /** Looks at the disk and the machine again; the registry changes only where they did. */
  async reload(): Promise<void> {
    this.#binaries.forget();
    if (this.#watching === undefined) this.skills.publish(this.#discover(this.skills.extraRoots));
    else await this.#watching.sweep();
  }

  /** The roots in order of precedence, missing ones included. */
  roots(): readonly Root[] {
    return this.#roots(this.skills.extraRoots).roots;
  }

  /** Stops watching and closes everything; the registry stays readable. */
  async shutdown(): Promise<void> {
    await this.#watching?.close();
    this.#watching = undefined;
  }

  #world(): World {
    const binaries = this.#binaries;
    return {
      platform: this.#ports.platform,
      environment: this.#ports.environment,
      hasBinary: (name) => binaries.has(name),
      skills: this.#settings.skills ?? {},
      settings: this.#settings.all ?? {},
    };
  }

  #roots(extraRoots: readonly string[]): { readonly roots: readonly Root[]; readonly issues: readonly Issue[] } {
    const { startDir } = this.#options;
    const plugins = [...(this.#options.plugins ?? []), ...(this.#settings.plugins ?? [])];
    const found = pluginRoots(plugins, startDir ?? '/');
    const roots = standardRoots(
      {
        ...this.#options,
        additionalSkillRoots: [...extraRoots, ...(this.#options.additionalSkillRoots ?? [])],
        home: this.#ports.home,
        pluginRoots: found.roots,
        bundledRoot: this.#ports.bundledRoot,
      },
      this.families,
    );
    return { roots, issues: found.issues };
  }

  #discover(extraRoots: readonly string[]): { discovered: readonly Discovered[]; issues: readonly Issue[] } {
    const { roots, issues } = this.#roots(extraRoots);
    const file = this.#cacheFile(roots);
    const memo = (this.#memo ??= file === undefined ? undefined : memoOf(readKnowledge(file, this.#cacheKey()), { limits: this.limits }));
    const found = discover(roots, { ...this.#scanOptions(), disk: memo ?? bareDisk(this.limits) });
    const kept = file === undefined || memo === undefined ? [] : keep(file, this.#cacheKey(), memo);
    return { discovered: found.discovered, issues: [...this.#setupIssues, ...issues, ...found.issues, ...kept] };
  }

  #watch(): Watching {
    return watchSkills({
      ...this.#scanOptions(),
      knowledge: noKnowledge(),
      roots: () => this.#roots(this.skills.extraRoots).roots,
      publish: (found, touched) => {
        this.skills.publish({ ...found, issues: [...this.#setupIssues, ...this.#roots(this.skills.extraRoots).issues, ...found.issues] }, touched);
      },
    });
  }

  #scanOptions(): { families: readonly Family[]; limits: SkillLimits; allowSymlinkTargets: readonly string[] } {
    const allowSymlinkTargets = [...(this.#settings.allowSymlinkTargets ?? []), ...(this.#options.allowSymlinkTargets ?? [])];
    return { families: this.families, limits: this.limits, allowSymlinkTargets };
  }

  #cacheFile(roots: readonly Root[]): string | undefined {
    const { cache } = this.#options;
    if (cache === undefined || cache === false) return undefined;
    const folder = cache === true ? this.#ports.cacheFolder : cache;
    return join(folder, `skills-${hash('sha256', JSON.stringify(roots)).slice(0, 16)}.json`);
  }

  #cacheKey(): string {
    const parsers = this.families.map((family) => `${family.id}:${family.parse.toString()}`);
    return hash('sha256', JSON.stringify([this.#ports.cacheKey, this.limits, parsers]));
  }
}

function settingsOf(options: AgentOptions, ports: Ports): { readonly settings: Settings; readonly issues: readonly Issue[] } {
  if (typeof options.settings === 'object') return { settings: options.settings, issues: [] };
  if (options.settings !== true) return { settings: {}, issues: [] };
  return ports.readSettings(options.startDir ?? ports.home);
}

/** Keeps what a memo knows; a folder that cannot be written is worth a note, not a failure. */
function keep(file: string, key: string, memo: Memo): readonly Issue[] {
  memo.prune();
  try {
    writeKnowledge(file, key, memo);
    return [];
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return [{ level: 'info', code: 'cache.unwritable', message: `What was read cannot be kept for the next start: ${reason}.`, file }];
  }
}
