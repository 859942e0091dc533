import { resolve, sep } from 'node:path';
import {
  AgentError,
  defineSkill,
  type DefinedSkill,
  type Issue,
  type Skill,
  type Source,
} from '../core/index.ts';
import { buildRelevantCatalog, type Catalog, type CatalogOptions } from './catalog/catalog.ts';
import { digestOf, renewDigest, skillDigest } from './digest/digest.ts';
import { freshDigest } from './digest/fresh-digest.ts';
import { targetOf } from './discover/links.ts';
import { readDisk, type DiskContents, type DiskSkills } from './disk-skills.ts';
import type { World } from './eligibility/eligibility.ts';
import { findNested, skillsBelow, type LoadedSkill } from './load-skill.ts';
import { searchSkills, type SkillQuery } from './rank/search.ts';
import type { LearnOptions, RankQuery, Ranking } from './rank/skill-ranking.ts';
import { changeBetween, createListeners, type SkillListener } from './registry/changes.ts';
import type { Applicant } from './registry/collisions.ts';
import { applicantOf } from './registry/definition.ts';
import { canonicalName } from './registry/lookup.ts';
import { SkillRecord } from './registry/record.ts';
import { editRegistry, type SkillEdit } from './registry/edit-registry.ts';
import { createOwnSnapshots, type SnapshotWith } from './registry/own-snapshots.ts';
import { buildRegistry, type Registry } from './registry/registry.ts';
import type { SkillsOptions } from './skills-options.ts';

/** The skills of an agent, from disk and from code, read through immutable snapshots. */
export class Skills {
  readonly #options: SkillsOptions;
  readonly #builtins: readonly Applicant[];
  readonly #registered = new Map<string, Applicant>();
  readonly #hidden = new Set<string>();
  readonly #disabled = new Set<string>();
  readonly #listeners = createListeners();
  readonly #snapshotWith = createOwnSnapshots((name, own) =>
    this.#build(new Map(this.#registered).set(name, own)),
  );
  readonly #world: World;
  #extraRoots: readonly string[] = [];
  #disk: DiskSkills | undefined;
  #snapshot: Registry | undefined;
  #stale = false;
  #edits: readonly SkillEdit[] | undefined = []; // since the snapshot was built; undefined if more changed
  #touched: readonly ((skill: SkillRecord) => boolean)[] = [];
  #version = 0;

  constructor(options: SkillsOptions) {
    this.#options = options;
    // Copy the descriptors, because some properties of the world are getters.
    const world = Object.defineProperties({}, Object.getOwnPropertyDescriptors(options.world)) as World;
    this.#world = Object.assign(world, {
      isDisabled: (skill: Identified) => this.#disabled.has(keyOf(skill)),
    });
    this.#builtins = options.builtins.map((skill) => applicantOf(skill, options.families, 'bundled'));
  }

  /** The version of the registry, which increases with each change that callers can see. */
  get version(): number {
    this.snapshot();
    return this.#version;
  }

  /** Returns the current snapshot. The first call scans the disk. */
  snapshot(): Registry {
    const before = this.#snapshot;
    if (before !== undefined && !this.#stale) return before;
    const all = this.#touched;
    const touched = (skill: SkillRecord): boolean => all.some((is) => is(skill));
    const edited =
      before && this.#edits && editRegistry(before, this.#edits, this.#disk?.issues ?? [], touched);
    const after = edited === undefined ? this.#build() : edited.registry;
    this.#snapshot = after;
    [this.#stale, this.#edits, this.#touched] = [false, [], []];
    const change = edited === undefined ? before && changeBetween(before, after, touched) : edited.change;
    if (before !== undefined && change === undefined) return after;
    this.#version++;
    if (change !== undefined)
      this.#listeners.notify(after.skills.filter(hasName), { ...change, version: this.#version });
    return after;
  }

  /** Returns a snapshot that contains the skill, cached until the registry changes. @internal */
  snapshotWith(skill: DefinedSkill | LoadedSkill): SnapshotWith {
    return this.#snapshotWith(this.snapshot(), this.#applicantOf(skill));
  }

  /** Adds a skill from code. Throws `skill.duplicate` if its name is taken. */
  register(skill: DefinedSkill | LoadedSkill): void {
    const name = canonicalName(skill.name, '');
    if (this.#registered.has(name)) {
      throw new AgentError('skill.duplicate', `A skill "${name}" is already registered.`, {
        hint: 'Use skills.replace to replace it.',
      });
    }
    this.replace(skill);
  }

  /** Adds a skill. If code has registered a skill with this name, replaces that skill and returns true. */
  replace(skill: DefinedSkill | LoadedSkill): boolean {
    const applicant = this.#applicantOf(skill);
    const name = canonicalName(applicant.draft.name, applicant.origin.stem);
    const existed = this.#registered.has(name);
    this.#registered.set(name, applicant);
    this.#changed();
    return existed;
  }

  /** Removes a skill until it is registered or loaded again. Returns true if it existed. */
  unregister(name: string): boolean {
    const skill = this.snapshot().lookup.find(name);
    if (skill === undefined) return false;
    const registered = this.#registered.get(skill.name);
    if (registered !== undefined && registered.origin.codeDefinition === skill.codeDefinition)
      this.#registered.delete(skill.name);
    else this.#hidden.add(keyOf(skill));
    this.#changed();
    return true;
  }

  /** Disables a skill until it is enabled: no model is offered it, and calls fail. */
  disable(name: string): void {
    this.#disabled.add(keyOf(this.resolve(name)));
    this.#changed();
  }

  /** Enables a skill that `disable` has disabled. Does not change the settings. */
  enable(name: string): void {
    if (this.#disabled.delete(keyOf(this.resolve(name)))) this.#changed();
  }

  /** Removes all skills from the registry. Does not delete files. */
  clear(): void {
    for (const skill of this.list()) this.#hidden.add(keyOf(skill));
    this.#registered.clear();
    this.#changed();
  }

  /** Returns the skill with this name or alias, or undefined. */
  get(name: string): Skill | undefined {
    return this.snapshot().lookup.find(name);
  }

  /** Like `get`, but throws `skill.not-found` with the nearest names. */
  resolve(name: string): Skill {
    return this.snapshot().lookup.resolve(name);
  }

  /** Whether there is a skill with this name or alias. */
  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Returns all skills of any status, sorted by name. Later changes do not affect the list. */
  list(): readonly Skill[] {
    return this.snapshot().skills;
  }

  /** The number of skills of any status. */
  get size(): number {
    return this.list().length;
  }

  /** Returns the ready and unavailable skills that match, best first for a text query, else by name. */
  search(query: SkillQuery = {}): readonly Skill[] {
    return searchSkills(this.snapshot().skills, query);
  }

  /** Ranks the skills that a model can call, best first, and decides whether any of them applies. */
  rank(prompt: string, query: RankQuery = {}): Promise<Ranking> {
    return this.#options.ranking.rank(prompt, this.snapshot().skills, query);
  }

  /** Waits until `rank` can use all embeddings. Resolves to the number of missing embeddings. */
  awaitMeanings(options: LearnOptions = {}): Promise<number> {
    return this.#options.ranking.learn(this.snapshot().skills, options);
  }

  /** Lists skills for a model, within limits. If not all of them fit, keeps the most relevant ones. */
  async catalog(options: CatalogOptions = {}): Promise<Catalog> {
    const rank = this.rank.bind(this);
    return buildRelevantCatalog(this.snapshot().skills, options, { rank, count: this.#options.countTokens });
  }

  /** Whether a skill's descriptor contains code that runs. @internal */
  hasCodeInDescriptor(skill: SkillRecord): boolean {
    return this.#options.hasCodeInDescriptor(skill);
  }

  /** Adds a folder as the root with the highest precedence, or rescans it. Resolves to its skills. */
  async loadDir(dir: string): Promise<readonly Skill[]> {
    const path = resolve(this.#options.startDir ?? '', dir);
    if (targetOf(path)?.kind !== 'folder') {
      throw new AgentError('usage.not-found', `The folder ${path} does not exist.`, {
        hint: 'Use a folder that contains skills.',
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

  /** Calls the listener after each change. Returns a function that removes the listener. */
  subscribe(listener: SkillListener): () => void {
    this.snapshot();
    return this.#listeners.add(listener);
  }

  /** Returns all issues with skill files, names, collisions, listeners and ranking. */
  diagnostics(): readonly Issue[] {
    const { ranking, issuesOf } = this.#options;
    const own = issuesOf?.(this.list()) ?? [];
    return [...this.snapshot().issues, ...own, ...this.#listeners.issues, ...ranking.issues];
  }

  /** Returns the digest of a skill's bundle, or undefined for a skill without a file. */
  digest(skill: Skill): string | undefined {
    return skillDigest(skill, digestOf);
  }

  /** Recomputes and caches the digest after this process has changed the skill's files. @internal */
  renewDigest(skill: Skill): string | undefined {
    return skillDigest(skill, renewDigest);
  }

  /** Returns the digest of the skill's current files. @internal */
  digestNow(skill: Skill): string | undefined {
    if (!(skill instanceof SkillRecord) || skill.file === '') return undefined;
    return freshDigest(skill);
  }

  /** The roots added by `loadDir`. @internal */
  get extraRoots(): readonly string[] {
    return this.#extraRoots;
  }

  /** Builds a separate registry of the readable skills in folders and Markdown files. @internal */
  below(paths: readonly string[], source: Source): Registry {
    return skillsBelow(paths, source, this.#options);
  }

  /** Publishes a scan. `touched` returns whether a file other than the descriptor changed. @internal */
  publish(disk: DiskContents, touched?: (skill: SkillRecord) => boolean): void {
    const read = readDisk(disk, this.#hidden.size === 0 ? this.#disk : undefined);
    this.#disk = read.disk;
    if (touched !== undefined) this.#touched = [...this.#touched, touched];
    this.#changed(read.edits);
  }

  /** Checks the requirements of skills again, for example after the settings have changed. */
  refresh(): void {
    this.#changed();
  }

  /** Marks the snapshot as outdated. If there are listeners, builds a new snapshot immediately. */
  #changed(edits?: readonly SkillEdit[]): void {
    this.#edits = edits && this.#edits && [...this.#edits, ...edits];
    this.#stale = true;
    if (this.#listeners.size > 0) this.snapshot();
  }

  #applicantOf(skill: DefinedSkill | LoadedSkill): Applicant {
    if (skill.kind === 'loaded') return skill.applicant;
    const isDefined = (skill.kind as string | undefined) === 'skill';
    return applicantOf(isDefined ? skill : defineSkill(skill), this.#options.families, 'explicit');
  }

  #build(own: ReadonlyMap<string, Applicant> = this.#registered): Registry {
    this.#disk ??= readDisk(this.#options.discover(this.#extraRoots)).disk;
    const { families, scan, serverTools = () => [] } = this.#options;
    const all = [...this.#builtins, ...serverTools(), ...this.#disk.applicants];
    const found = all.filter(
      ({ origin, draft }) => !this.#hidden.has(keyOf({ ...origin, name: draft.name })),
    );
    return buildRegistry(
      [...own.values(), ...found],
      families,
      this.#world,
      this.#disk.issues,
      findNested(scan),
    );
  }
}

/** Returns a key that identifies a skill: its file, or its name if it is defined in code. */
function keyOf(skill: Identified): string {
  return skill.file === '' ? skill.name : skill.file;
}

type Identified = Pick<Skill, 'name' | 'file'>;

function hasName({ status }: Skill): boolean {
  return status === 'ready' || status === 'unavailable';
}
