import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { qualifiedName, type Skill, type SkillCard } from '../../core/index.ts';
import { globPattern, type GlobPattern } from '../../files/index.ts';
import { SkillRecord } from '../registry/record.ts';

/** A skill as it appears in a catalog. */
export interface CatalogEntry {
  /** The name under which the model can call the skill. Qualified if necessary. */
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string | undefined;
  /** An absolute path, or `skill:<name>` for a skill that is defined in code. */
  readonly location: string;
  /** Whether the skill is pinned. Pinned skills are the last to be omitted. */
  readonly pinned?: boolean | undefined;
  /** @deprecated Use `pinned`. */
  readonly always?: boolean | undefined;
}

/**
 * Returns catalog entries for the skills that are offered to a model. If `home` is set, paths show it as `~`.
 */
export function catalogEntries(
  skills: readonly Skill[],
  options: OfferOptions & { readonly home?: string | undefined } = {},
): readonly CatalogEntry[] {
  const compact = compactor(options.home);
  return offeredSkills(skills, options).map((offered) => new OfferedEntry(offered, compact));
}

/**
 * An entry that computes its text when it is first read, because a catalog shows only a few of many entries.
 */
class OfferedEntry implements CatalogEntry {
  readonly name: string;
  readonly #skill: Skill;
  readonly #compact: (path: string) => string;

  constructor({ name, skill }: Offered, compact: (path: string) => string) {
    this.name = name;
    this.#skill = skill;
    this.#compact = compact;
  }

  get description(): string {
    return cardOf(this.#skill).description;
  }
  get whenToUse(): string | undefined {
    return cardOf(this.#skill).whenToUse;
  }
  get pinned(): boolean | undefined {
    return cardOf(this.#skill).pinned;
  }
  get location(): string {
    const { file } = this.#skill;
    return file === '' ? `skill:${this.name}` : this.#compact(file);
  }
}

/**
 * Replaces the home folder in paths with `~`, even if a path contains the folder's real path. Use it only if
 * the model's file tools resolve `~`.
 */
export function compactSkillPaths(paths: readonly string[], home: string | undefined): readonly string[] {
  return paths.map(compactor(home));
}

/** Creates a function that shortens a single path in the same way as `compactSkillPaths`. */
function compactor(home: string | undefined): (path: string) => string {
  const homes = home === undefined ? [] : [...new Set([home, realPath(home)])].flatMap(prefixOf);
  return (path) => compact(path, homes);
}

interface Prefix {
  readonly text: string;
  readonly isWindows: boolean;
}

/**
 * Returns the prefix of paths in a home folder as a list, which is empty if the folder is the root of a file
 * system.
 */
function prefixOf(home: string): readonly Prefix[] {
  const isWindows = /^(?:[a-z]:[\\/]|\\\\)/i.test(home);
  const text = isWindows ? slashed(home).replace(/\/+$/, '') : home.replace(/\/+$/, '');
  const isBelowRoot = isWindows ? /^(?:[a-z]:|\/\/[^/]+\/[^/]+)\/./i.test(text) : /^\/./.test(text);
  return isBelowRoot ? [{ text, isWindows }] : [];
}

function compact(path: string, homes: readonly Prefix[]): string {
  for (const { text, isWindows } of homes) {
    const plain = isWindows ? slashed(path) : path;
    const start = plain.slice(0, text.length);
    const isSame = isWindows ? start.toLowerCase() === text.toLowerCase() : start === text;
    const rest = plain.slice(text.length);
    if (isSame && (rest === '' || rest.startsWith('/'))) return `~${rest}`;
  }
  return path;
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

function realPath(home: string): string {
  try {
    return realpathSync(home);
  } catch {
    return home; // The home folder may not exist on this machine.
  }
}

/** Options that determine which skills are offered to a model. */
export interface OfferOptions {
  /**
   * Whether to include the package's own tools. By default, models receive these only as tools, not as
   * skills.
   */
  readonly internals?: boolean | undefined;
}

/** A skill, and the name under which a model calls it. */
export interface Offered<Kind extends Skill = Skill> {
  readonly name: string;
  readonly skill: Kind;
}

/**
 * Returns the skills that a model may call. These are the ready and listed skills that models may choose. If
 * two skills have the same name, both get qualified names.
 */
export function offeredSkills<Kind extends Skill>(
  skills: readonly Kind[],
  { internals = false }: OfferOptions = {},
): readonly Offered<Kind>[] {
  const ready = skills.filter(({ status }) => status === 'ready');
  const shared = sharedNames(ready);
  const offered: Offered<Kind>[] = [];
  for (const skill of ready) {
    const { modelInvocable, listed } = cardOf(skill);
    if (modelInvocable === false || listed === false || (!internals && isInternal(skill))) continue;
    offered.push({ skill, name: shared.has(skill.name) ? qualifiedName(skill) : skill.name });
  }
  return offered;
}

/**
 * Returns a skill's card for use inside this package. The card is not frozen, because freezing ten thousand
 * cards is slow.
 */
export function cardOf(skill: Skill): SkillCard {
  return skill instanceof SkillRecord ? skill.ownCard : skill.card;
}

function sharedNames(skills: readonly Skill[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(skills.map(({ name }) => name).filter((name) => seen.size === seen.add(name).size));
}

/** Whether a skill is one of the package's own tools, which are bundled and defined in code. */
export function isInternal({ source, codeDefinition }: Skill): boolean {
  return source === 'bundled' && codeDefinition !== undefined;
}

/**
 * Whether any of the files matches a skill's patterns. Patterns are relative to the workspace. A pattern
 * without a slash matches at any depth.
 */
export function appliesTo(patterns: readonly string[], files: readonly string[], workspace: string): boolean {
  const globs = patterns.map(patternOf).filter((glob) => glob !== undefined);
  return files.some((file) => {
    const away = relative(workspace, resolve(workspace, file));
    const names = away.split(sep);
    if (names[0] === '..' || isAbsolute(away)) return false;
    return globs.some((glob) => isMatch(glob, names));
  });
}

/** Parses a pattern. Returns undefined if it is invalid. */
function patternOf(written: string): GlobPattern | undefined {
  const text = written.trim().replace(/^\.?\/+/, '');
  if (text === '') return undefined;
  const anywhere = /\/./.test(text) ? text : `**/${text}`;
  try {
    return globPattern(anywhere.endsWith('/') ? `${anywhere}**` : anywhere, true);
  } catch {
    return undefined; // An invalid pattern matches no file.
  }
}

function isMatch(glob: GlobPattern, names: readonly string[]): boolean {
  const folders = names.slice(0, -1).reduce((reached, name) => glob.enter(reached, name), glob.start);
  return glob.fits(folders, names.at(-1) ?? '');
}
