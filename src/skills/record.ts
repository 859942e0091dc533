import type { Draft } from './draft.ts';
import type { Family } from '../core/family.ts';
import type { Issue } from '../core/issue.ts';
import { normaliseName } from '../core/names.ts';
import type { Missing, Skill, SkillCard, SkillStatus, Source } from '../core/skill.ts';

/** Where a record comes from: a file that was found, or a skill made in code. */
export interface Origin {
  readonly family: Family;
  readonly source: Source;
  readonly root: string;
  readonly dir: string;
  readonly file: string;
  readonly stem: string;
  readonly group: string;
  readonly loose: boolean;
  readonly made?: object;
}

/** A registered skill; a class so that ten thousand records hold no aliases until someone looks. */
export class SkillRecord implements Skill {
  readonly name: string;
  readonly card: SkillCard;
  readonly status: SkillStatus;
  readonly issues: readonly Issue[];
  readonly missing?: readonly Missing[];
  readonly shadowedBy?: string;
  readonly #origin: Origin;
  readonly #declared: string;
  /** Changes with the descriptor's bytes. */
  readonly sum: number;

  constructor(origin: Origin, draft: Draft, name: string, verdict: Verdict) {
    this.#origin = origin;
    this.#declared = draft.name;
    this.sum = draft.sum;
    this.name = name;
    this.card = draft.card;
    this.status = verdict.status;
    this.issues = draft.issues;
    if (verdict.missing !== undefined) this.missing = verdict.missing;
    if (verdict.shadowedBy !== undefined) this.shadowedBy = verdict.shadowedBy;
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
  /** A single file among others instead of a folder of its own. */
  get loose(): boolean {
    return this.#origin.loose;
  }
  get made(): object | undefined {
    return this.#origin.made;
  }

  /** The folder, the name as written, the name with its family, with its source, and with its group. */
  get aliases(): readonly string[] {
    const { family, source, stem, group } = this.#origin;
    const aliases = new Set<string>();
    if (stem !== '') aliases.add(normaliseName(stem));
    if (this.#declared !== '') aliases.add(this.#declared);
    for (const word of [family.id, ...(family.aliases ?? [])]) aliases.add(`${this.name}-${word}`);
    aliases.add(`${source}:${this.name}`);
    if (group !== '') aliases.add(`${group}/${this.name}`);
    aliases.delete(this.name);
    aliases.delete('');
    return [...aliases];
  }
}

/** What the registry decided about a record. */
export interface Verdict {
  readonly status: SkillStatus;
  readonly missing?: readonly Missing[];
  readonly shadowedBy?: string;
}
