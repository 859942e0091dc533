import { sep } from 'node:path';
import { below } from './paths.ts';

/** The ignore rules that apply in a folder, nearest first. */
export interface IgnoreRules {
  readonly dir: string;
  /** The patterns in file order; the last match decides. */
  readonly patterns: readonly IgnorePattern[];
  readonly parent: IgnoreRules | undefined;
  /** The total number of patterns, including those of parent folders. */
  readonly count: number;
}

/** The names of ignore files. In the same folder, rules in a later file override those in an earlier one. */
export const ignoreFiles: readonly string[] = ['.gitignore', '.ignore'];

const maxPatterns = 20_000; // The maximum number of ignore patterns in a folder and all its parents.

/**
 * Returns the rules that apply in a folder. `texts` contains the contents of the folder's ignore files, in
 * order. Their rules take precedence over those of parent folders. Ignore files with too many patterns have
 * no effect.
 */
export function rulesIn(dir: string, texts: readonly string[], parent: IgnoreRules | undefined): IgnoreRules {
  const lines = texts.flatMap((text) => `${text}\n`.replace(/^\ufeff/, '').split(/\r?\n/, maxPatterns * 2));
  const patterns = lines.map((line) => patternOf(line)).filter((pattern) => pattern !== undefined);
  const above = parent?.count ?? 0;
  const count = above + patterns.length;
  return count > maxPatterns ? { dir, patterns: [], parent, count: above } : { dir, patterns, parent, count };
}

/**
 * Returns whether git would ignore a path in a folder that is not ignored itself. The nearest ignore file
 * with a matching pattern decides.
 */
export function isIgnored(rules: IgnoreRules | undefined, path: string, isFolder: boolean): boolean {
  for (let at = rules; at !== undefined; at = at.parent) {
    const names = below(at.dir, path).split(sep);
    const decisive = at.patterns.findLast((pattern) => isMatch(pattern, names, isFolder));
    if (decisive !== undefined) return !decisive.isNegated;
  }
  return false;
}

/** A pattern from one line of an ignore file, parsed as in git. */
export interface IgnorePattern {
  /** Whether the pattern starts with `!`, so matching paths are not ignored. */
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  /** Whether the pattern has no slash except at the end. Such a pattern matches only names, at any depth. */
  readonly isForNames: boolean;
  /** The segments between slashes. Undefined represents `**`, which matches any number of folders. */
  readonly parts: readonly (Part | undefined)[];
}

/**
 * A segment of a pattern: a literal name, or one test per character. An undefined test represents `*`,
 * which matches any number of characters.
 */
type Part = string | readonly (Fits | undefined)[];

type Fits = (character: string) => boolean;

/** Parses a line. Returns undefined for blank lines, comments and patterns that cannot match. */
export function patternOf(line: string): IgnorePattern | undefined {
  const text = line.startsWith('#') ? '' : withoutTrailingSpaces(line);
  const isNegated = text.startsWith('!');
  const isForFolders = text.endsWith('/');
  const glob = text.slice(isNegated ? 1 : 0, isForFolders ? -1 : undefined);
  const parts = glob === '' ? undefined : partsOf(glob.startsWith('/') ? glob.slice(1) : glob);
  return parts && { isNegated, isForFolders, isForNames: !glob.includes('/'), parts };
}

/**
 * Returns whether a pattern matches a path. `path` is a list of names relative to the ignore file's folder.
 */
export function isMatch(pattern: IgnorePattern, path: readonly string[], isFolder: boolean): boolean {
  if (pattern.isForFolders && !isFolder) return false;
  return isSequence(pattern.parts, pattern.isForNames ? path.slice(-1) : path, isName);
}

/**
 * Returns whether a pattern could match a folder, one of its parents or anything below it, whether or not
 * these exist. `folder` is a list of names.
 */
export function mayMatchAround({ isForNames, parts }: IgnorePattern, folder: readonly string[]): boolean {
  if (isForNames) return true;
  const gap = parts.indexOf(undefined);
  return folder.every((name, index) => {
    const part = gap < 0 || index < gap ? parts[index] : undefined;
    return part === undefined || isName(part, name);
  });
}

function isName(part: Part, name: string): boolean {
  return typeof part === 'string' ? part === name : isSequence(part, Array.from(name), matchesCharacter);
}

function matchesCharacter(fits: Fits, character: string): boolean {
  return fits(character);
}

/** Removes trailing spaces, except after a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  let slash = end;
  while (line[slash - 1] === '\\') slash--;
  return line.slice(0, (end - slash) % 2 === 0 ? end : end + 1);
}

/**
 * Splits a glob into segments. Returns undefined for an unclosed bracket or a trailing backslash, which
 * cannot match.
 */
function partsOf(glob: string): readonly (Part | undefined)[] | undefined {
  const parts: (Part | undefined)[] = [];
  let matchers: (string | Fits | undefined)[] = [];
  for (let at = 0; at < glob.length; at++) {
    const character = glob.charAt(at);
    if (character === '/') {
      parts.push(partOf(matchers));
      matchers = [];
    } else if (character === '*') matchers.push(undefined);
    else if (character === '?') matchers.push(() => true);
    else if (character === '[') {
      const bracket = bracketAt(glob, at);
      if (bracket === undefined) return undefined;
      matchers.push(bracket.has);
      at = bracket.end;
    } else if (character !== '\\') matchers.push(character);
    else if (++at < glob.length) matchers.push(glob.charAt(at));
    else return undefined;
  }
  parts.push(partOf(matchers));
  if (parts.at(-1) === undefined) parts.push([undefined]); // A trailing `**` matches at least one name.
  return parts;
}

function partOf(matchers: readonly (string | Fits | undefined)[]): Part | undefined {
  if (matchers.every((matcher) => typeof matcher === 'string')) return matchers.join('');
  if (matchers.length > 1 && matchers.every((matcher) => matcher === undefined)) return undefined;
  return matchers.map((matcher) =>
    typeof matcher === 'string' ? (other: string) => other === matcher : matcher,
  );
}

/**
 * Returns whether a list of values matches a list of pattern items. An undefined item matches any number of
 * values. For speed, backtracks only to the last undefined item.
 */
function isSequence<Item, Thing>(
  items: readonly (Item | undefined)[],
  things: readonly Thing[],
  fits: (item: Item, thing: Thing) => boolean,
): boolean {
  let next = 0;
  let gap = -1;
  let resume = 0;
  for (let at = 0; at < things.length;) {
    const item = items[next];
    const thing = things[at];
    if (item === undefined && next < items.length) {
      gap = next++;
      resume = at;
    } else if (item !== undefined && thing !== undefined && fits(item, thing)) {
      next++;
      at++;
    } else if (gap < 0) return false;
    else {
      next = gap + 1;
      at = ++resume;
    }
  }
  while (next < items.length && items[next] === undefined) next++;
  return next === items.length;
}

/** A `[…]` expression in a pattern: the characters that it matches, and its end. */
interface Bracket {
  readonly has: (character: string) => boolean;
  readonly end: number;
}

const classes: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[a-z\d]/i],
  ['alpha', /[a-z]/i],
  ['blank', /[ \t]/],
  ['cntrl', /[^ -\uffff]|\x7f/],
  ['digit', /\d/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[ \t\n\r]/],
  ['upper', /[A-Z]/],
  ['xdigit', /[a-f\d]/i],
]);

/** Parses the bracket expression that starts at an index. Returns undefined if it is invalid or unclosed. */
export function bracketAt(glob: string, start: number): Bracket | undefined {
  const isNegated = glob[start + 1] === '!' || glob[start + 1] === '^';
  const tests: ((character: string) => boolean)[] = [];
  const first = start + (isNegated ? 2 : 1);
  let before: string | undefined; // The previous character, which may start a range.
  for (let at = first; at < glob.length; at++) {
    const character = glob.charAt(at);
    if (character === ']' && at > first) {
      return { has: (other) => tests.some((test) => test(other)) !== isNegated, end: at };
    }
    const named = character === '[' ? /^\[:([^\]]*):\]/.exec(glob.slice(at)) : null;
    if (named !== null) {
      const known = classes.get(named[1] ?? '');
      if (known === undefined) return undefined;
      tests.push((other) => known.test(other));
      at += named[0].length - 1;
      before = undefined;
      continue;
    }
    const isRange = character === '-' && before !== undefined && at + 1 < glob.length && glob[at + 1] !== ']';
    if (isRange) at++;
    if (glob[at] === '\\') at++;
    const literal = glob.charAt(at);
    if (literal === '') return undefined;
    const from = isRange && before !== undefined ? before : literal;
    tests.push((other) => other >= from && other <= literal);
    before = isRange ? undefined : literal;
  }
  return undefined;
}
