import { createYielder, reasonOf, type Issue } from '../../core/index.ts';
import { offeredSkills } from '../catalog/entries.ts';
import type { SkillLimits } from '../limits.ts';
import { bodyOf } from '../registry/definition.ts';
import type { SkillRecord } from '../registry/record.ts';
import type { SkillVectors } from './embeddings.ts';
import { searchableOf } from './fields.ts';
import { keyOf, type Indexed } from './indexed-skills.ts';
import { Ranker } from './ranker.ts';
import { indexInMemory } from './stored/build-index.ts';
import { openIndexFile, writeIndexFile } from './stored/index-file.ts';
import type { StoredIndex } from './stored/stored-index.ts';

/** A file for the index of an agent's skills. */
export interface IndexFile {
  readonly file: string;
  /** Everything that the terms of a skill depend on, besides its name and its file. */
  readonly key: string;
  /** Whether the texts of a skill may be written to the file. */
  mayStore(skill: SkillRecord, body: string): boolean;
}

interface IndexOptions {
  readonly limits: SkillLimits;
  readonly indexFile: (() => IndexFile | undefined) | undefined;
  readonly newMeanings: () => SkillVectors | undefined;
}

type Pause = () => Promise<void> | undefined;

const longestTurn = 20; // The maximum time for which indexing blocks the event loop, in milliseconds.

/**
 * The index of an agent's skills. It reads only the skills that have changed since the index was stored. Many
 * changes make it build the stored index again, so that a single change never costs as much as all skills.
 */
export class SkillIndex {
  readonly #options: IndexOptions;
  #current: Indexed | undefined;
  #ranker: Ranker | undefined;
  /** The file from which the ranker reads parts. */
  #stored: StoredIndex | undefined;
  #issue: Issue | undefined;
  #where: IndexFile | undefined;
  /** The keys of skills whose texts must not be written to a file. */
  readonly #private = new Set<string>();

  constructor(options: IndexOptions) {
    this.#options = options;
  }

  get current(): Indexed | undefined {
    return this.#current;
  }

  get ranker(): Ranker | undefined {
    return this.#ranker;
  }

  /** Why the index could not be stored. */
  get issue(): Issue | undefined {
    return this.#issue;
  }

  /** Indexes new skills and drops removed skills. All other skills remain indexed. */
  async update(skills: readonly SkillRecord[]): Promise<Indexed> {
    if (this.#current?.skills === skills) return this.#current;
    try {
      return await this.#update(skills, this.#open());
    } catch (thrown) {
      if (this.#stored === undefined) throw thrown;
      return this.rebuild(skills); // A part of the file is damaged.
    }
  }

  /** Indexes all skills from their files, because the stored index is damaged. */
  async rebuild(skills: readonly SkillRecord[]): Promise<Indexed> {
    this.close();
    return this.#update(skills, undefined);
  }

  /** Whether the index is in a file. Its parts are read and checked when they are needed. */
  get isFromFile(): boolean {
    return this.#stored !== undefined;
  }

  async #update(skills: readonly SkillRecord[], stored: StoredIndex | undefined): Promise<Indexed> {
    const pause = createYielder(longestTurn);
    const keys = new Map<SkillRecord, string>();
    const named = new Map<string, SkillRecord>();
    for (const { skill } of offeredSkills(skills, { internals: true })) {
      const key = keyOf(skill);
      keys.set(skill, key);
      named.set(key, skill);
      await pause();
    }
    let ranker = this.#ranker ?? (await this.#fill(stored, named, pause));
    const missing = new Map(named);
    for (const key of ranker.keys()) if (!missing.delete(key)) ranker.remove(key);
    for (const [key, skill] of missing) {
      ranker.add(key, searchableOf(skill, this.#read(key, skill)));
      await pause();
    }
    if (ranker.changes - this.#private.size > Math.max(this.#fewChanges, named.size / 8))
      ranker = await this.#store(ranker, named, pause);
    this.#ranker = ranker;
    this.#current = { skills, ranker, keys, names: new Map() };
    return this.#current;
  }

  /** Closes the file of the index. */
  close(): void {
    this.#stored?.close();
    this.#stored = undefined;
    this.#ranker = undefined;
    this.#current = undefined;
  }

  /** The number of changes for which an index is not built again. With a file, the next start gains more. */
  get #fewChanges(): number {
    return this.#where === undefined ? 256 : 8;
  }

  #open(): StoredIndex | undefined {
    const where = (this.#where = this.#options.indexFile?.());
    if (this.#ranker !== undefined) return undefined;
    this.#stored = where && openIndexFile(where.file, where.key);
    return this.#stored;
  }

  /** Creates a ranker with the skills that are in a stored index. */
  async #fill(
    stored: StoredIndex | undefined,
    skills: ReadonlyMap<string, SkillRecord>,
    pause: Pause,
  ): Promise<Ranker> {
    const ranker = new Ranker(this.#options.newMeanings(), stored);
    if (stored === undefined) return ranker;
    for (const [key, skill] of skills) {
      ranker.addStored(key, searchableOf(skill, ''));
      await pause();
    }
    await ranker.removeOthers(pause);
    return ranker;
  }

  /** Builds the index again without the traces of changes, and writes it for the next start. */
  async #store(ranker: Ranker, skills: ReadonlyMap<string, SkillRecord>, pause: Pause): Promise<Ranker> {
    const where = this.#where;
    const built = await ranker.build((key) => !this.#private.has(key), pause);
    const before = this.#stored;
    let stored: StoredIndex | undefined;
    if (where !== undefined) {
      try {
        await writeIndexFile(where.file, where.key, built, pause);
        stored = openIndexFile(where.file, where.key);
        this.#issue = undefined;
      } catch (thrown) {
        const message = `Cannot save the ranking index for the next start: ${reasonOf(thrown)}.`;
        this.#issue = { level: 'info', code: 'cache.unwritable', message, file: where.file };
      }
    }
    const fresh = await this.#fill(stored ?? indexInMemory(built), skills, pause);
    for (const key of this.#private) {
      const skill = skills.get(key);
      if (skill === undefined) this.#private.delete(key);
      else fresh.add(key, searchableOf(skill, this.#read(key, skill)));
    }
    before?.close();
    this.#stored = stored;
    return fresh;
  }

  /** Reads the body of a skill, and notes whether its texts must not be written to a file. */
  #read(key: string, skill: SkillRecord): string {
    const { body, isRegistered } = bodyOf(skill, this.#options.limits);
    if (this.#where !== undefined && !(isRegistered && this.#where.mayStore(skill, body)))
      this.#private.add(key);
    return body;
  }
}
