import { resolve } from 'node:path';
import type { DefinedSkill } from '../core/define-skill.ts';
import { AgentError } from '../core/error.ts';
import type { Family } from '../core/family.ts';
import type { Issue } from '../core/issue.ts';
import { normaliseName } from '../core/names.ts';
import type { Skill } from '../core/skill.ts';
import { changeBetween, type SkillChange } from './change.ts';
import { digestOf, knownDigest } from './digest.ts';
import type { Discovered } from './discover.ts';
import type { World } from './eligibility.ts';
import type { LoadedSkill } from './load-skill.ts';
import { applicantOf } from './made.ts';
import { buildRegistry, type Applicant, type Registry } from './registry.ts';
import { SkillRecord } from './record.ts';
import { searchSkills, type SkillQuery } from './search.ts';

/** Called after each change with the callable skills and what changed; what it throws is reported, never propagated. */
export type SkillListener = (skills: readonly Skill[], change: SkillChange) => void;

/** What the registry of an agent stands on. */
export interface SkillsOptions {
  readonly families: readonly Family[];
  /** Skills of the package itself, made in code. */
  readonly builtins: readonly DefinedSkill[];
  readonly world: World;
  /** Reads the roots; called when the first skill is asked for, and by `loadDir`. */
  readonly discover: (extraRoots: readonly string[]) => { readonly discovered: readonly Discovered[]; readonly issues: readonly Issue[] };
}

interface Disk {
  readonly discovered: readonly Discovered[];
  readonly issues: readonly Issue[];
}

/** The registry of one agent: what was found on disk plus what code registered, read from immutable snapshots. */
export class Skills {
  readonly #options: SkillsOptions;
  readonly #builtins: readonly Applicant[];
  readonly #made = new Map<string, Applicant>();
  readonly #hidden = new Set<string>();
  readonly #listeners = new Set<SkillListener>();
  readonly #reports: Issue[] = [];
  #extraRoots: readonly string[] = [];
  #disk: Disk | undefined;
  #snapshot: Registry | undefined;
  #stale = false;
  #touched: readonly ((skill: SkillRecord) => boolean)[] = [];
  #version = 0;

  constructor(options: SkillsOptions) {
    this.#options = options;
    this.#builtins = options.builtins.map((made) => applicantOf(made, options.families, 'bundled'));
  }

  /** Counts the snapshots in which something a caller can see changed. */
  get version(): number {
    this.snapshot();
    return this.#version;
  }

  /** The current snapshot; looks at the disk the first time. */
  snapshot(): Registry {
    const before = this.#snapshot;
    if (before !== undefined && !this.#stale) return before;
    const after = this.#build();
    this.#snapshot = after;
    this.#stale = false;
    const touched = this.#touched;
    this.#touched = [];
    const change = before === undefined ? undefined : changeBetween(before, after, (skill) => touched.some((is) => is(skill)));
    if (before !== undefined && change === undefined) return after;
    this.#version++;
    if (change !== undefined) this.#tellAll(after, { ...change, version: this.#version });
    return after;
  }

  /** Adds a skill made in code or loaded by the caller; throws `skill.duplicate` when code registered that name before. */
  register(skill: DefinedSkill | LoadedSkill): void {
    const name = normaliseName(skill.name);
    if (this.#made.has(name)) {
      throw new AgentError('skill.duplicate', `A skill "${name}" is registered already.`, { hint: 'Use skills.replace to put another in its place.' });
    }
    this.replace(skill);
  }

  /** Adds a skill or puts it in the place of the one of that name; tells whether there was one. */
  replace(skill: DefinedSkill | LoadedSkill): boolean {
    const name = normaliseName(skill.name);
    const existed = this.#made.has(name);
    this.#made.set(name, skill.kind === 'loaded' ? skill.applicant : applicantOf(skill, this.#options.families, 'explicit'));
    this.#changed();
    return existed;
  }

  /** Removes a skill by name until it is registered or its folder is loaded again; tells whether there was one. */
  unregister(name: string): boolean {
    const skill = this.get(name);
    if (skill === undefined) return false;
    if (!this.#made.delete(skill.name)) this.#hidden.add(skill.file === '' ? skill.name : skill.file);
    this.#changed();
    return true;
  }

  /** Removes every skill, those found on disk included. */
  clear(): void {
    for (const skill of this.list()) this.#hidden.add(skill.file === '' ? skill.name : skill.file);
    this.#made.clear();
    this.#changed();
  }

  /** The skill that a name or alias stands for. */
  get(name: string): Skill | undefined {
    return this.snapshot().lookup.find(name);
  }

  /** Like `get`, but throws `skill.not-found` with the nearest names. */
  resolve(name: string): Skill {
    return this.snapshot().lookup.resolve(name);
  }

  /** Whether a name or alias stands for a skill. */
  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Every entry, whatever its status, by name. */
  list(): readonly Skill[] {
    return this.snapshot().skills;
  }

  /** The callable skills that a query fits, by name. */
  search(query: SkillQuery = {}): readonly Skill[] {
    return searchSkills(this.snapshot().skills, query);
  }

  /** Adds a folder as a root of highest precedence, or reads it again; resolves with the skills found below it. */
  loadDir(dir: string): Promise<readonly Skill[]> {
    const path = resolve(dir);
    if (!this.#extraRoots.includes(path)) this.#extraRoots = [...this.#extraRoots, path];
    const disk = this.#options.discover(this.#extraRoots);
    for (const { found } of disk.discovered) if (found.root.path === path) this.#hidden.delete(found.file);
    this.publish(disk);
    return Promise.resolve(this.list().filter((skill) => skill.root === path));
  }

  /** Calls the listener after each change until the returned function is called. */
  subscribe(listener: SkillListener): () => void {
    this.snapshot();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** All findings about files, names and collisions. */
  diagnostics(): readonly Issue[] {
    return [...this.snapshot().issues, ...this.#reports];
  }

  /** The digest of the skill's whole bundle; computed when first asked for. */
  digest(skill: Skill): string | undefined {
    return skill instanceof SkillRecord && skill.file !== '' ? digestOf(skill, skill.loose) : knownDigest(skill);
  }

  /** The roots that `loadDir` added. */
  get extraRoots(): readonly string[] {
    return this.#extraRoots;
  }

  /** Puts a new look at the disk in place of the last one; `touched` names bundles whose other files changed. */
  publish(disk: Disk, touched?: (skill: SkillRecord) => boolean): void {
    this.#disk = disk;
    if (touched !== undefined) this.#touched = [...this.#touched, touched];
    this.#changed();
  }

  /** Without listeners the next reader pays for the new snapshot, so that registering a thousand skills builds one. */
  #changed(): void {
    this.#stale = true;
    if (this.#listeners.size > 0) this.snapshot();
  }

  #tellAll(registry: Registry, change: SkillChange): void {
    const skills = registry.skills.filter((skill) => skill.status === 'ready' || skill.status === 'unavailable');
    for (const listener of this.#listeners) this.#tell(listener, skills, change);
  }

  #tell(listener: SkillListener, skills: readonly Skill[], change: SkillChange): void {
    try {
      listener(skills, change);
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      this.#reports.push({ level: 'warning', code: 'registry.listener', message: `A listener of the registry threw: ${reason}.` });
    }
  }

  #build(): Registry {
    this.#disk ??= this.#options.discover(this.#extraRoots);
    const found = this.#disk.discovered.map(({ found: place, draft }): Applicant => ({
      origin: {
        family: place.family,
        source: place.root.source,
        root: place.root.path,
        dir: place.dir,
        file: place.file,
        stem: place.stem,
        group: place.group,
        loose: place.loose,
      },
      draft,
    }));
    const shown = [...this.#builtins, ...found].filter(({ origin, draft }) => !this.#hidden.has(origin.file === '' ? draft.name : origin.file));
    return buildRegistry([...this.#made.values(), ...shown], this.#options.families, this.#options.world, this.#disk.issues);
  }
}
