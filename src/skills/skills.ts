import { resolve, sep } from 'node:path';
import {
  AgentError,
  defineSkill,
  type DefinedSkill,
  type Family,
  type Issue,
  type Skill,
  type Source,
} from '../core/index.ts';
import { buildCatalog, type Catalog, type CatalogOptions } from './catalog/catalog.ts';
import { digestOf, renewDigest, skillDigest } from './digest/digest.ts';
import { freshDigest } from './digest/fresh-digest.ts';
import type { Discovered } from './discover/discover.ts';
import { targetOf } from './discover/links.ts';
import type { Root } from './discover/listing.ts';
import type { World } from './eligibility/eligibility.ts';
import { applicantOn, skillsBelow, type LoadedSkill } from './load-skill.ts';
import { searchSkills, type SkillQuery } from './rank/search.ts';
import type { LearnOptions, RankQuery, Ranking, SkillRanking } from './rank/skill-ranking.ts';
import { changeBetween, createListeners, type SkillListener } from './registry/changes.ts';
import type { Applicant } from './registry/collisions.ts';
import { applicantOf } from './registry/definition.ts';
import { canonicalName } from './registry/lookup.ts';
import { SkillRecord } from './registry/record.ts';
import { buildRegistry, createOwnSnapshots, type Registry, type SnapshotWith } from './registry/registry.ts';

/** What the registry of an agent stands on. */
interface SkillsOptions {
  readonly families: readonly Family[];
  /** Skills of the package itself, made in code. */
  readonly builtins: readonly DefinedSkill[];
  readonly world: World;
  /** Orders the skills by how well they fit a prompt. */
  readonly ranking: SkillRanking;
  /** The folder that relative paths start from. */
  readonly startDir?: string | undefined;
  /** Reads the roots; called when the first skill is asked for, and by `loadDir`. */
  readonly discover: (extraRoots: readonly string[]) => DiskContents;
  /** Reads other folders for themselves. */
  readonly scan: (roots: readonly Root[]) => DiskContents;
  /** Called when `loadDir` has added a root, so that a watch follows it too. */
  readonly onRootAdded?: () => Promise<void>;
  /** Diagnostics that depend on what is registered at the moment. */
  readonly issuesOf?: (skills: readonly Skill[]) => readonly Issue[];
}

/** What one look at the disk found. */
export interface DiskContents {
  readonly discovered: readonly Discovered[];
  readonly issues: readonly Issue[];
}

const leastRelevant = 150;

/** The registry of one agent: what was found on disk plus what code registered, read from immutable snapshots. */
export class Skills {
  readonly #options: SkillsOptions;
  readonly #builtins: readonly Applicant[];
  readonly #made = new Map<string, Applicant>();
  readonly #hidden = new Set<string>();
  readonly #listeners = createListeners();
  readonly #snapshotWith = createOwnSnapshots((name, own) => this.#build(new Map(this.#made).set(name, own)));
  #extraRoots: readonly string[] = [];
  #disk: { readonly applicants: readonly Applicant[]; readonly issues: readonly Issue[] } | undefined;
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
    if (before === undefined) {
      this.#version++;
      return after;
    }
    const change = changeBetween(before, after, (skill) => touched.some((is) => is(skill)));
    if (change === undefined) return after;
    this.#version++;
    this.#listeners.tell(after.skills.filter(hasName), { ...change, version: this.#version });
    return after;
  }

  /** A snapshot in which a skill can be called, registered or not, and its record there; the same one until something changes. */
  snapshotWith(skill: DefinedSkill | LoadedSkill): SnapshotWith {
    return this.#snapshotWith(this.snapshot(), this.#applicantOf(skill));
  }

  /** Adds a skill made in code or loaded by the caller; throws `skill.duplicate` when code registered that name before. */
  register(skill: DefinedSkill | LoadedSkill): void {
    const name = canonicalName(skill.name, '');
    if (this.#made.has(name)) {
      throw new AgentError('skill.duplicate', `A skill "${name}" is registered already.`, {
        hint: 'Use skills.replace to put another in its place.',
      });
    }
    this.replace(skill);
  }

  /** Adds a skill or puts it in the place of the one that code registered under its name; tells whether there was one. */
  replace(skill: DefinedSkill | LoadedSkill): boolean {
    const applicant = this.#applicantOf(skill);
    const name = canonicalName(applicant.draft.name, applicant.origin.stem);
    const existed = this.#made.has(name);
    this.#made.set(name, applicant);
    this.#changed();
    return existed;
  }

  /** Removes a skill by name until it is registered or its folder is loaded again; tells whether there was one. */
  unregister(name: string): boolean {
    const skill = this.snapshot().lookup.find(name);
    if (skill === undefined) return false;
    const registered = this.#made.get(skill.name);
    if (registered !== undefined && registered.origin.made === skill.made) this.#made.delete(skill.name);
    else this.#hidden.add(keyOf(skill));
    this.#changed();
    return true;
  }

  /** Removes every skill, those found on disk included. */
  clear(): void {
    for (const skill of this.list()) this.#hidden.add(keyOf(skill));
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

  /** Every entry, whatever its status, by name; a later change makes a new list and leaves this one as it is. */
  list(): readonly Skill[] {
    return this.snapshot().skills;
  }

  /** How many entries the list has. */
  get size(): number {
    return this.list().length;
  }

  /** The skills with a name of their own that a query fits, best first; without words to look for, by name. */
  search(query: SkillQuery = {}): readonly Skill[] {
    return searchSkills(this.snapshot().skills, query);
  }

  /** What a model is offered that fits a prompt, best first, and whether anything does. */
  rank(prompt: string, query: RankQuery = {}): Promise<Ranking> {
    return this.#options.ranking.rank(prompt, this.snapshot().skills, query);
  }

  /** Waits until the meanings of all skills are known, before which words alone decide in `rank`; resolves with how many are not. */
  awaitMeanings(options: LearnOptions = {}): Promise<number> {
    return this.#options.ranking.learn(this.snapshot().skills, options);
  }

  /** What a model is shown of the skills, within limits; a request decides which ones when not all fit. */
  async catalog(options: CatalogOptions = {}): Promise<Catalog> {
    const { skills } = this.snapshot();
    const { request, relevance, limits, internals } = options;
    const plain = buildCatalog(skills, options);
    if (request === undefined || relevance !== undefined || plain.omitted.length === 0) return plain;
    const limit = Math.max(leastRelevant, limits?.maxSkills ?? 0);
    const { candidates } = await this.rank(request, { limit, internals });
    return buildCatalog(skills, { ...options, relevance: candidates.map(({ name }) => name) });
  }

  /** Adds a folder as a root of highest precedence, or reads it again; resolves with the skills found below it. */
  async loadDir(dir: string): Promise<readonly Skill[]> {
    const path = resolve(this.#options.startDir ?? '', dir);
    if (targetOf(path)?.kind !== 'folder') {
      throw new AgentError('usage.not-found', `There is no folder ${path}.`, {
        hint: 'Name a folder that holds skills.',
      });
    }
    const isNew = !this.#extraRoots.includes(path);
    if (isNew) this.#extraRoots = [...this.#extraRoots, path];
    const isBelow = (root: string): boolean => root === path || root.startsWith(path + sep);
    const disk = this.#options.discover(this.#extraRoots);
    for (const { found } of disk.discovered) if (isBelow(found.root.path)) this.#hidden.delete(found.file);
    this.publish(disk);
    if (isNew) await this.#options.onRootAdded?.();
    return this.list().filter((skill) => isBelow(skill.root) && skill.status !== 'invalid');
  }

  /** Calls the listener after each change until the returned function is called. */
  subscribe(listener: SkillListener): () => void {
    this.snapshot();
    return this.#listeners.add(listener);
  }

  /** All findings about files, names and collisions. */
  diagnostics(): readonly Issue[] {
    const { ranking, issuesOf } = this.#options;
    const own = issuesOf?.(this.list()) ?? [];
    return [...this.snapshot().issues, ...own, ...this.#listeners.issues, ...ranking.issues];
  }

  /** The digest of the skill's whole bundle, computed when first asked for; undefined for one that has no file. */
  digest(skill: Skill): string | undefined {
    return skillDigest(skill, digestOf);
  }

  /** The same computed anew, after this process itself changed its files; it takes the place of what was known. */
  renewDigest(skill: Skill): string | undefined {
    return skillDigest(skill, renewDigest);
  }

  /** The same of its files as they are at this moment. */
  digestNow(skill: Skill): string | undefined {
    if (!(skill instanceof SkillRecord) || skill.file === '') return undefined;
    return freshDigest(skill);
  }

  /** The roots that `loadDir` added. */
  get extraRoots(): readonly string[] {
    return this.#extraRoots;
  }

  /** The skills in these folders and Markdown files alone, as a registry of their own; what cannot be read is not in it. */
  below(places: readonly string[], source: Source): Registry {
    return skillsBelow(places, source, this.#options);
  }

  /** Puts a new look at the disk in place of the last one; `touched` names bundles whose other files changed. */
  publish(disk: DiskContents, touched?: (skill: SkillRecord) => boolean): void {
    this.#disk = { applicants: disk.discovered.map(applicantOn), issues: disk.issues };
    if (touched !== undefined) this.#touched = [...this.#touched, touched];
    this.#changed();
  }

  /** Decides again who is eligible, after something outside of the skills changed. */
  refresh(): void {
    this.#changed();
  }

  /** Without listeners the next reader pays for the new snapshot, so that registering a thousand skills builds one. */
  #changed(): void {
    this.#stale = true;
    if (this.#listeners.size > 0) this.snapshot();
  }

  #applicantOf(skill: DefinedSkill | LoadedSkill): Applicant {
    if (skill.kind === 'loaded') return skill.applicant;
    const defined = (skill.kind as string | undefined) === 'skill' ? skill : defineSkill(skill);
    return applicantOf(defined, this.#options.families, 'explicit');
  }

  #build(made: ReadonlyMap<string, Applicant> = this.#made): Registry {
    if (this.#disk === undefined) {
      const { discovered, issues } = this.#options.discover(this.#extraRoots);
      this.#disk = { applicants: discovered.map(applicantOn), issues };
    }
    const { families, world } = this.#options;
    const given = [...this.#builtins, ...this.#disk.applicants];
    const shown = given.filter(
      ({ origin, draft }) => !this.#hidden.has(keyOf({ name: draft.name, file: origin.file })),
    );
    return buildRegistry([...made.values(), ...shown], families, world, this.#disk.issues);
  }
}

/** What tells skills apart that are hidden one by one: the file, or the name of one made in code. */
function keyOf(skill: { readonly name: string; readonly file: string }): string {
  return skill.file === '' ? skill.name : skill.file;
}

function hasName(skill: Skill): boolean {
  return skill.status === 'ready' || skill.status === 'unavailable';
}
