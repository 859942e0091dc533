import {
  freeze,
  normaliseName,
  optional,
  sources,
  type Family,
  type Issue,
  type Missing,
  type Skill,
  type SkillCard,
  type SkillStatus,
  type Source,
} from '../../core/index.ts';
import type { Draft } from '../discover/draft.ts';

/** Where a record comes from: a file that was found, or a skill made in code. */
export interface RecordOrigin {
  readonly family: Family;
  readonly source: Source;
  readonly root: string;
  readonly dir: string;
  readonly file: string;
  readonly stem: string;
  readonly group: string;
  readonly loose: boolean;
  readonly made?: object;
  readonly server?: string;
}

/** What the registry decided about a record. */
export interface RegistryVerdict {
  readonly status: SkillStatus;
  readonly missing?: readonly Missing[];
  readonly shadowedBy?: string;
  /** Which of the skills of its name and source it is, counted from 1, the one that answers first. */
  readonly copy?: number;
  /** Set when a better skill of this name lies in a group of the same name. */
  readonly groupTaken?: true;
  /** Set when its name could pass for another one. */
  readonly deceptive?: true;
}

/** A registered skill: nothing of it can be changed; aliases are made, and cards frozen, when someone looks. */
export class SkillRecord implements Skill {
  readonly #origin: RecordOrigin;
  readonly #draft: Draft;
  readonly #name: string;
  readonly #verdict: RegistryVerdict;

  constructor(origin: RecordOrigin, draft: Draft, name: string, verdict: RegistryVerdict) {
    this.#origin = origin;
    this.#draft = draft;
    this.#name = name;
    this.#verdict = verdict;
  }

  get name(): string {
    return this.#name;
  }
  get card(): SkillCard {
    return freeze(this.#draft.card);
  }
  /** The card for our own reading: not frozen, and never to be handed out. */
  get ownCard(): SkillCard {
    return this.#draft.card;
  }
  get issues(): readonly Issue[] {
    return freeze(this.#draft.issues);
  }
  get status(): SkillStatus {
    return this.#verdict.status;
  }
  get missing(): readonly Missing[] | undefined {
    return freeze(this.#verdict.missing);
  }
  get shadowedBy(): string | undefined {
    return this.#verdict.shadowedBy;
  }
  /** Changes with the descriptor's bytes. */
  get sum(): string {
    return this.#draft.sum;
  }
  get family(): string {
    return this.#origin.family.id;
  }
  get source(): Source {
    return this.#origin.source;
  }
  get root(): string {
    return this.#origin.root;
  }
  get dir(): string {
    return this.#origin.dir;
  }
  get file(): string {
    return this.#origin.file;
  }
  get made(): object | undefined {
    return this.#origin.made;
  }
  get server(): string | undefined {
    return this.#origin.server;
  }
  /** A single file among others instead of a folder of its own. */
  get loose(): boolean {
    return this.#origin.loose;
  }
  /** Its name could pass for another one. */
  get deceptive(): boolean {
    return this.#verdict.deceptive === true;
  }

  /** Names that lead to this skill and no other: with its source, and with its group. */
  get qualifiedNames(): readonly string[] {
    return qualifiedNames(this.#origin, this.name, this.#verdict);
  }

  /** Names that lead to this skill unless a better one has them: its folder, its name as written, its name with its family. */
  get otherNames(): readonly string[] {
    const { family, stem } = this.#origin;
    const words = [family.id, ...(family.aliases ?? [])];
    return [normaliseName(stem), plainName(this.#draft.name), ...words.map((word) => `${this.name}-${word}`)];
  }

  get aliases(): readonly string[] {
    const aliases = new Set([...this.otherNames, ...this.qualifiedNames]);
    aliases.delete(this.name);
    aliases.delete('');
    return [...aliases];
  }

  /** All that is known, for JSON and for whoever prints a skill. */
  toJSON(): Omit<Skill, 'made'> {
    const { name, aliases, family, card, source, root, dir, file, status, missing, shadowedBy, issues } =
      this;
    const origin = { source, ...optional('server', this.server) };
    const reasons = {
      ...(missing === undefined ? {} : { missing }),
      ...(shadowedBy === undefined ? {} : { shadowedBy }),
    };
    return { name, aliases, family, card, ...origin, root, dir, file, status, ...reasons, issues };
  }

  /** What `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return this.toJSON();
  }
}

/** The names by which a skill is reached even when another one has its bare name. */
export function qualifiedNames(
  origin: RecordOrigin,
  name: string,
  verdict: RegistryVerdict,
): readonly string[] {
  const { copy = 1 } = verdict;
  const withSource = copy === 1 ? `${origin.source}:${name}` : `${origin.source}:${name}:${copy}`;
  const group = verdict.groupTaken === true ? '' : groupName(origin.group);
  return group === '' ? [withSource] : [`${group}/${name}`, withSource];
}

/** A group as it is written in names; empty when a part of it cannot be. */
export function groupName(group: string): string {
  if (group === '') return '';
  const parts = group.split('/').map((part) => normaliseName(part));
  return parts.includes('') ? '' : parts.join('/');
}

/** A name as written, unless it would be read as that of a source, as a path or as nothing. */
function plainName(written: string): string {
  const [first = ''] = written.split(':', 1);
  const isQualified = first !== written && sources.some((source) => source === normaliseName(first));
  return isQualified || /[/\\]/.test(written) || normaliseName(written) === '' ? '' : written;
}
