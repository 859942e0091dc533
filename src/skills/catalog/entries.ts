import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { qualifiedName, type Skill, type SkillCard } from '../../core/index.ts';
import { globPattern, type GlobPattern } from '../../files/index.ts';
import { SkillRecord } from '../registry/record.ts';

/** What a catalog may say of one skill. */
export interface CatalogEntry {
  /** The name that reaches it, qualified where that is needed. */
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string | undefined;
  /** Where it can be read: an absolute path, or `skill:<name>` for one without a file. */
  readonly location: string;
  /** Pinned: it comes before every other when there is not enough room. */
  readonly always?: boolean | undefined;
}

/** The entries of the skills that a model is offered; with a home folder, paths in it start with `~`. */
export function catalogEntries(
  skills: readonly Skill[],
  options: OfferOptions & { readonly home?: string | undefined } = {},
): readonly CatalogEntry[] {
  const compact = compactor(options.home);
  return offeredSkills(skills, options).map((offered) => new OfferedEntry(offered, compact));
}

/** Made of a skill when someone looks: of ten thousand only a few are shown. */
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

/** Paths with the home folder, or its real path, as `~`; give `home` only where the reader resolves `~`. */
export function compactSkillPaths(paths: readonly string[], home: string | undefined): readonly string[] {
  return paths.map(compactor(home));
}

/** What does the same to one path after the other. */
function compactor(home: string | undefined): (path: string) => string {
  const homes = home === undefined ? [] : [...new Set([home, realPath(home)])].flatMap(prefixOf);
  return (path) => compact(path, homes);
}

interface Prefix {
  readonly text: string;
  readonly isWindows: boolean;
}

/** A home as paths start with it; none for what is no folder below a root. */
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
    return home; // it need not exist here
  }
}

/** Which skills a model is offered. */
export interface OfferOptions {
  /** Also the package's own tools, which models are otherwise offered as tools only. */
  readonly internals?: boolean | undefined;
}

/** A skill under the name by which a model calls it. */
export interface Offered<Kind extends Skill = Skill> {
  readonly name: string;
  readonly skill: Kind;
}

/** The skills that a model may choose: ready, listed and free to be chosen; where two share a name, by qualified names. */
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

/** Its card, read only here: freezing ten thousand to look at two fields each would take longer than all the rest. */
export function cardOf(skill: Skill): SkillCard {
  return skill instanceof SkillRecord ? skill.ownCard : skill.card;
}

function sharedNames(skills: readonly Skill[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(skills.map(({ name }) => name).filter((name) => seen.size === seen.add(name).size));
}

/** Whether a skill comes with the package and is made in code: a tool. */
export function isInternal({ source, made }: Skill): boolean {
  return source === 'bundled' && made !== undefined;
}

/** Whether one of the files is one of those that a skill is for; patterns start at the workspace, one without a slash anywhere in it. */
export function appliesTo(patterns: readonly string[], files: readonly string[], workspace: string): boolean {
  const globs = patterns.map(patternOf).filter((glob) => glob !== undefined);
  return files.some((file) => {
    const away = relative(workspace, resolve(workspace, file));
    const names = away.split(sep);
    if (names[0] === '..' || isAbsolute(away)) return false;
    return globs.some((glob) => isMatch(glob, names));
  });
}

/** Undefined for one that cannot mean anything. */
function patternOf(written: string): GlobPattern | undefined {
  const text = written.trim().replace(/^\.?\/+/, '');
  if (text === '') return undefined;
  const anywhere = /\/./.test(text) ? text : `**/${text}`;
  try {
    return globPattern(anywhere.endsWith('/') ? `${anywhere}**` : anywhere, true);
  } catch {
    return undefined; // it stands for no file
  }
}

function isMatch(glob: GlobPattern, names: readonly string[]): boolean {
  const folders = names.slice(0, -1).reduce((reached, name) => glob.enter(reached, name), glob.start);
  return glob.fits(folders, names.at(-1) ?? '');
}
