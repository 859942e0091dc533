import {
  freeze,
  normaliseName,
  optional,
  sources,
  type Family,
  type Issue,
  type MissingRequirement,
  type Skill,
  type SkillCard,
  type SkillPlugin,
  type SkillStatus,
  type Source,
  warnRenamed,
} from '../../core/index.ts';
import type { Draft } from '../discover/draft.ts';

const noIssues: readonly Issue[] = Object.freeze([]);

/** The origin of a record: a file, or a skill that is defined in code. */
export interface RecordOrigin {
  readonly family: Family;
  readonly source: Source;
  readonly root: string;
  readonly dir: string;
  readonly file: string;
  readonly stem: string;
  readonly group: string;
  readonly loose: boolean;
  readonly codeDefinition?: object;
  readonly server?: string;
  readonly plugin?: SkillPlugin;
  readonly command?: true;
  /** The qualifier that precedes the skill's name, separated by a colon. */
  readonly namespace?: string;
  /** Set if the skill is in the bundle of another skill. */
  readonly isNested?: true;
  /** Set if the lock of the user's own skills lists the skill. */
  readonly isInstalled?: true;
}

/** The registry's decision about a skill. */
export interface RegistryVerdict {
  readonly status: SkillStatus;
  readonly missing?: readonly MissingRequirement[];
  readonly shadowedBy?: string;
  /**
   * The number of the skill among those with the same name and source, starting at 1. Number 1 has
   * precedence.
   */
  readonly copy?: number;
  /** Set if a skill with higher precedence has the same name and is in the same group. */
  readonly groupTaken?: true;
  /** Set if the skill's name could be mistaken for another name. */
  readonly deceptive?: true;
}

/**
 * A registered skill. It is immutable. Its aliases are built and its card is frozen when they are first read.
 */
export class SkillRecord implements Skill {
  readonly #origin: RecordOrigin;
  readonly #draft: Draft;
  readonly #name: string;
  readonly #verdict: RegistryVerdict;
  #aliases: readonly string[] | undefined;

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
  /** The card for use inside this package. It is not frozen, so never return it to other code. */
  get ownCard(): SkillCard {
    return this.#draft.card;
  }
  get issues(): readonly Issue[] {
    const { issues } = this.#draft;
    return issues.length === 0 ? noIssues : freeze(issues);
  }
  get status(): SkillStatus {
    return this.#verdict.status;
  }
  get missing(): readonly MissingRequirement[] | undefined {
    return freeze(this.#verdict.missing);
  }
  get shadowedBy(): string | undefined {
    return this.#verdict.shadowedBy;
  }
  /** A checksum of the descriptor's bytes. */
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
  get codeDefinition(): object | undefined {
    return this.#origin.codeDefinition;
  }
  /** @deprecated Use `codeDefinition`. */
  get made(): object | undefined {
    warnRenamed('Skill.made', 'Skill.codeDefinition');
    return this.codeDefinition;
  }
  get isInstalled(): true | undefined {
    return this.#origin.isInstalled;
  }
  get server(): string | undefined {
    return this.#origin.server;
  }
  get plugin(): SkillPlugin | undefined {
    return this.#origin.plugin;
  }
  /** Whether the skill is in a command folder. */
  get command(): true | undefined {
    return this.#origin.command;
  }
  /** Whether the skill is a single file, without a folder of its own. */
  get loose(): boolean {
    return this.#origin.loose;
  }
  /** Whether the skill's name could be mistaken for another name. */
  get deceptive(): boolean {
    return this.#verdict.deceptive === true;
  }

  /** Names with a source or a group, which identify only this skill. */
  get qualifiedNames(): readonly string[] {
    return qualifiedNames(this.#origin, this.name, this.#verdict);
  }

  /**
   * Names with lower priority: the folder's name, the name and aliases as written, and the name with the
   * family as a suffix. The same name of another skill can take precedence. The names of a nested skill
   * always include its qualifier.
   */
  get otherNames(): readonly string[] {
    const { family, stem, namespace, isNested } = this.#origin;
    const { aliases = [] } = this.#draft.card;
    const familyNames = [family.id, ...(family.aliases ?? [])];
    const folder = normaliseName(stem);
    return [
      ...(isNested === true ? [] : [folder, ...[this.#draft.name, ...aliases].map(plainName)]),
      ...(namespace === undefined || folder === '' ? [] : [`${namespace}:${folder}`]),
      ...familyNames.map((familyName) => `${this.name}-${familyName}`),
    ];
  }

  /** Returns the skill with another draft, for which the registry decides the same. */
  withDraft(draft: Draft): SkillRecord {
    return new SkillRecord(this.#origin, draft, this.#name, this.#verdict);
  }

  get aliases(): readonly string[] {
    if (this.#aliases !== undefined) return this.#aliases;
    const aliases = new Set([...this.otherNames, ...this.qualifiedNames]);
    aliases.delete(this.name);
    aliases.delete('');
    return (this.#aliases = Object.freeze([...aliases]));
  }

  /** Returns all public fields, for JSON and printing. */
  toJSON(): Omit<Skill, 'codeDefinition'> {
    const { name, aliases, family, card, source, root, dir, file, status, missing, shadowedBy, issues } =
      this;
    const origin = { source, ...optional('server', this.server) };
    const reasons = {
      ...(missing === undefined ? {} : { missing }),
      ...(shadowedBy === undefined ? {} : { shadowedBy }),
    };
    return { name, aliases, family, card, ...origin, root, dir, file, status, ...reasons, issues };
  }

  /** Returns the object that `console.log` prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return this.toJSON();
  }
}

/** Returns the names that identify only this skill. */
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

/** Returns the normalised name of a group. Returns an empty string if a segment cannot be normalised. */
export function groupName(group: string): string {
  if (group === '') return '';
  const parts = group.split('/').map((part) => normaliseName(part));
  return parts.includes('') ? '' : parts.join('/');
}

/** Returns a name unchanged. Returns "" if the name is empty, is a path, or has the prefix of a source. */
function plainName(written: string): string {
  const [first = ''] = written.split(':', 1);
  const isQualified = first !== written && sources.some((source) => source === normaliseName(first));
  return isQualified || /[/\\]/.test(written) || normaliseName(written) === '' ? '' : written;
}
