import { sep } from 'node:path';
import { below } from './paths.ts';

/** The ignore files that apply in a folder, nearest first; undefined when there are none on the way from the root. */
export interface IgnoreRules {
  readonly dir: string;
  /** The last one that fits decides. */
  readonly patterns: readonly IgnorePattern[];
  readonly parent: IgnoreRules | undefined;
  /** How many patterns there are, those of the parents included. */
  readonly count: number;
}

/** The names of ignore files; a later one may take back what an earlier one in the same folder says. */
export const ignoreFiles: readonly string[] = ['.gitignore', '.ignore'];

const mostPatterns = 20_000; // on the way to a folder; each of them may be asked about each file

/**
 * The rules inside a folder: the texts of its own ignore files in that order, before those of its parents. Files with
 * more patterns than anybody writes say nothing.
 */
export function rulesIn(dir: string, texts: readonly string[], parent: IgnoreRules | undefined): IgnoreRules {
  const lines = texts.flatMap((text) => `${text}\n`.replace(/^\ufeff/, '').split(/\r?\n/, mostPatterns * 2));
  const patterns = lines.map((line) => patternOf(line)).filter((pattern) => pattern !== undefined);
  const above = parent?.count ?? 0;
  const count = above + patterns.length;
  return count > mostPatterns
    ? { dir, patterns: [], parent, count: above }
    : { dir, patterns, parent, count };
}

/** Whether git would ignore this path in a folder that it does not ignore: the nearest file that says anything decides. */
export function isIgnored(rules: IgnoreRules | undefined, path: string, isFolder: boolean): boolean {
  for (let at = rules; at !== undefined; at = at.parent) {
    const names = below(at.dir, path).split(sep);
    const decisive = at.patterns.findLast((pattern) => isMatch(pattern, names, isFolder));
    if (decisive !== undefined) return !decisive.isNegated;
  }
  return false;
}

/** One line of an ignore file, read as git reads it. */
export interface IgnorePattern {
  /** Set by a leading `!`: what matches is not ignored. */
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  /** Set when there is no slash but the last: only the name has to match, at any depth. */
  readonly isForNames: boolean;
  /** What stands between the slashes; undefined is a `**`, any number of folders. */
  readonly parts: readonly (Part | undefined)[];
}

/** A name as it is, or what each character of it must be; undefined is a `*`, any number of characters. */
type Part = string | readonly (Fits | undefined)[];

type Fits = (letter: string) => boolean;

/** The pattern of a line; undefined for blank lines, comments and what can match nothing. */
export function patternOf(line: string): IgnorePattern | undefined {
  const text = line.startsWith('#') ? '' : withoutTrailingSpaces(line);
  const isNegated = text.startsWith('!');
  const isForFolders = text.endsWith('/');
  const glob = text.slice(isNegated ? 1 : 0, isForFolders ? -1 : undefined);
  const parts = glob === '' ? undefined : partsOf(glob.startsWith('/') ? glob.slice(1) : glob);
  return parts && { isNegated, isForFolders, isForNames: !glob.includes('/'), parts };
}

/** Whether a pattern fits a path, given as the names from the folder of its file downwards. */
export function isMatch(pattern: IgnorePattern, path: readonly string[], isFolder: boolean): boolean {
  if (pattern.isForFolders && !isFolder) return false;
  return isSequence(pattern.parts, pattern.isForNames ? path.slice(-1) : path, isName);
}

/** Whether a pattern could fit a folder, a folder around it, or anything below it, whatever there is; the folder is given in the same way. */
export function mayMatchAround({ isForNames, parts }: IgnorePattern, folder: readonly string[]): boolean {
  if (isForNames) return true;
  const gap = parts.indexOf(undefined);
  return folder.every((name, index) => {
    const part = gap < 0 || index < gap ? parts[index] : undefined;
    return part === undefined || isName(part, name);
  });
}

function isName(part: Part, name: string): boolean {
  return typeof part === 'string' ? part === name : isSequence(part, Array.from(name), isLetter);
}

function isLetter(fits: Fits, letter: string): boolean {
  return fits(letter);
}

/** Spaces at the end count only behind a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  let slash = end;
  while (line[slash - 1] === '\\') slash--;
  return line.slice(0, (end - slash) % 2 === 0 ? end : end + 1);
}

/** The parts of a glob; undefined when it can match nothing: an open bracket, a backslash at the end. */
function partsOf(glob: string): readonly (Part | undefined)[] | undefined {
  const parts: (Part | undefined)[] = [];
  let letters: (string | Fits | undefined)[] = [];
  for (let at = 0; at < glob.length; at++) {
    const letter = glob.charAt(at);
    if (letter === '/') {
      parts.push(partOf(letters));
      letters = [];
    } else if (letter === '*') letters.push(undefined);
    else if (letter === '?') letters.push(() => true);
    else if (letter === '[') {
      const bracket = bracketAt(glob, at);
      if (bracket === undefined) return undefined;
      letters.push(bracket.has);
      at = bracket.end;
    } else if (letter !== '\\') letters.push(letter);
    else if (++at < glob.length) letters.push(glob.charAt(at));
    else return undefined;
  }
  parts.push(partOf(letters));
  if (parts.at(-1) === undefined) parts.push([undefined]); // at the end it stands for at least one name
  return parts;
}

function partOf(letters: readonly (string | Fits | undefined)[]): Part | undefined {
  if (letters.every((letter) => typeof letter === 'string')) return letters.join('');
  if (letters.length > 1 && letters.every((letter) => letter === undefined)) return undefined;
  return letters.map((letter) => (typeof letter === 'string' ? (other: string) => other === letter : letter));
}

/** Whether things fit items one by one, undefined items standing for any number of things. A step back goes to the last of these only, so no pattern takes long. */
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

/** A `[…]` of a pattern: what it holds, and where it ends. */
interface Bracket {
  readonly has: (letter: string) => boolean;
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

/** The bracket that opens at an index; undefined when it never closes, so that the pattern matches nothing. */
export function bracketAt(glob: string, start: number): Bracket | undefined {
  const isNegated = glob[start + 1] === '!' || glob[start + 1] === '^';
  const tests: ((letter: string) => boolean)[] = [];
  const first = start + (isNegated ? 2 : 1);
  let before: string | undefined; // where a range may begin
  for (let at = first; at < glob.length; at++) {
    const letter = glob.charAt(at);
    if (letter === ']' && at > first) {
      return { has: (other) => tests.some((test) => test(other)) !== isNegated, end: at };
    }
    const named = letter === '[' ? /^\[:([^\]]*):\]/.exec(glob.slice(at)) : null;
    if (named !== null) {
      const known = classes.get(named[1] ?? '');
      if (known === undefined) return undefined;
      tests.push((other) => known.test(other));
      at += named[0].length - 1;
      before = undefined;
      continue;
    }
    const isRange = letter === '-' && before !== undefined && at + 1 < glob.length && glob[at + 1] !== ']';
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
