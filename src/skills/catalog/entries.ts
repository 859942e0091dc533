import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { qualifiedName, type Skill, type SkillCard } from '../../core/index.ts';
import { globPattern, type GlobPattern } from '../../files/index.ts';
import { SkillRecord } from '../registry/record.ts';

/** The information about one skill that a catalog uses. */
export interface CatalogEntry {
  /** The name for calling the skill, qualified if necessary. */
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string | undefined;
  /** The skill's location: an absolute path, or `skill:<name>` for a skill defined in code. */
  readonly location: string;
  /** Whether the skill is pinned. Pinned skills have the highest precedence if space is limited. */
  readonly always?: boolean | undefined;
}

/**
 * Returns the entries of the skills offered to a model. If a home folder is given, replaces it with `~` in
 * paths.
 */
export function catalogEntries(
  skills: readonly Skill[],
  options: OfferOptions & { readonly home?: string | undefined } = {},
): readonly CatalogEntry[] {
  const compact = compactor(options.home);
  return offeredSkills(skills, options).map((offered) => new OfferedEntry(offered, compact));
}

/** An entry that loads its skill's data on demand, because a catalog shows only a few of many entries. */
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
  get always(): boolean | undefined {
    return cardOf(this.#skill).requires?.always;
  }
  get location(): string {
    const { file } = this.#skill;
    return file === '' ? `skill:${this.name}` : this.#compact(file);
  }
}

/**
 * Replaces the home folder, or its real path, with `~` in paths. Set `home` only if the reader resolves `~`.
 */
export function compactSkillPaths(paths: readonly string[], home: string | undefined): readonly string[] {
  return paths.map(compactor(home));
}

/** Creates a function that shortens a single path, like `compactSkillPaths`. */
function compactor(home: string | undefined): (path: string) => string {
  const homes = home === undefined ? [] : [...new Set([home, realPath(home)])].flatMap(prefixOf);
  return (path) => compact(path, homes);
}

interface Prefix {
  readonly text: string;
  readonly isWindows: boolean;
}

/** Returns the path prefixes of a home folder. Empty if that folder is a file system root. */
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

/** Options for the skills offered to a model. */
export interface OfferOptions {
  /** Whether to list the package's own tools as skills. By default, they are offered only as tools. */
  readonly internals?: boolean | undefined;
}

/** A skill with the name that a model uses to call it. */
export interface Offered<Kind extends Skill = Skill> {
  readonly name: string;
  readonly skill: Kind;
}

/**
 * Returns the skills that a model may choose: ready, listed and model-invocable. Names are qualified if two
 * skills have the same name.
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

/** Returns a skill's card without freezing it, for internal use. Freezing ten thousand cards is slow. */
export function cardOf(skill: Skill): SkillCard {
  return skill instanceof SkillRecord ? skill.ownCard : skill.card;
}

function sharedNames(skills: readonly Skill[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(skills.map(({ name }) => name).filter((name) => seen.size === seen.add(name).size));
}

/** Whether a skill is bundled with the package and defined in code. Such a skill is a tool. */
export function isInternal({ source, codeDefinition }: Skill): boolean {
  return source === 'bundled' && codeDefinition !== undefined;
}

/**
 * Whether any file matches a skill's patterns. Patterns are relative to the workspace. Patterns without a
 * slash match at any depth.
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

/** Parses a pattern. Returns undefined if the pattern is invalid. */
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
