import { matchesWildcard } from '../core/index.ts';
import { innerOf } from './inner-commands.ts';
import { readScript, readWords, type SimpleCommand } from './read-script.ts';
import { keepsMeaning } from './variables.ts';
import { literalWord, textOfWords, type ShellWord } from './word.ts';

/** The simple commands that a command line can run. */
interface ShellParts {
  /** Every simple command that the line could run, including commands that other commands run. */
  readonly parts: readonly { readonly command: string }[];
  /** The same commands in alternative spellings, for matching deny rules. */
  readonly suspected: readonly { readonly command: string }[];
  /** Whether the line, judging by its text alone, runs nothing except these commands. */
  readonly areAll: boolean;
  /** Whether part of the line was too long or too deeply nested to parse. */
  readonly isUnread?: true;
  /** Whether the line creates git repositories, as `git clone` does. Judged by its text alone. */
  readonly makesRepositories?: true;
}

/** Splits a command line into its simple commands, as bash would parse it. Pure; never throws. */
export function shellParts(command: string): ShellParts {
  const found: Found = {
    parts: new Set(),
    suspected: new Set(),
    seen: new Set(),
    areAll: true,
    isUnread: false,
    hasMoved: false,
    isRelative: false,
    makesRepositories: false,
  };
  addScript(found, command, 0);
  const { parts, suspected, isUnread, hasMoved, isRelative, makesRepositories } = found;
  return {
    parts: asCommands(parts),
    suspected: asCommands(suspected),
    areAll: found.areAll && !isUnread && !(hasMoved && isRelative) && parts.size > 0,
    ...(isUnread ? { isUnread } : {}),
    ...(makesRepositories ? { makesRepositories } : {}),
  };
}

interface Found {
  readonly parts: Set<string>;
  readonly suspected: Set<string>;
  readonly seen: Set<string>;
  areAll: boolean;
  isUnread: boolean;
  /** Whether the line changes the working folder. */
  hasMoved: boolean;
  /** Whether the line runs a program by a relative path, which depends on the working folder. */
  isRelative: boolean;
  makesRepositories: boolean;
}

const moving: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd']);
// The maximum nesting depth of commands that run other commands.
const maxDepth = 8;

function addScript(found: Found, source: string, depth: number): void {
  const { commands, areAll, isUnread } = readScript(source);
  found.areAll &&= areAll;
  found.isUnread ||= isUnread;
  for (const command of commands) addCommand(found, command, depth);
}

function addCommand(found: Found, command: SimpleCommand, depth: number): void {
  const { words } = command;
  const [first, ...others] = words;
  const key = JSON.stringify(command);
  if (first === undefined || found.seen.has(key)) return;
  found.seen.add(key);
  found.parts.add(textOfWords(words));
  const name = first.value.slice(first.value.lastIndexOf('/') + 1);
  for (const other of otherForms(name, words)) found.suspected.add(textOfWords(other));
  const inner = innerOf(name, command);
  if (inner.alike !== undefined) found.suspected.add(textOfWords(inner.alike));
  found.areAll &&= inner.areAll && first.isLiteral && keepsMeaning(name, others);
  found.hasMoved ||= moving.has(name);
  found.isRelative ||= isRelative(first, inner.alike);
  found.makesRepositories ||= name === 'git' && makesRepositories(others.map(({ value }) => value));
  if (inner.commands.length + inner.scripts.length === 0) return;
  if (depth === maxDepth) {
    found.isUnread = true;
    return;
  }
  for (const words of inner.commands) addCommand(found, { ...command, words }, depth + 1);
  for (const script of inner.scripts) addScript(found, script, depth + 1);
}

function isRelative({ value }: ShellWord, [script]: readonly ShellWord[] = []): boolean {
  return script === undefined ? /^[^/]+\//.test(value) : !script.value.startsWith('/');
}

// Git options whose value is the next word.
const withValue = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|exec-path))$/;

function makesRepositories(words: readonly string[]): boolean {
  let at = 0;
  while (words[at]?.startsWith('-') === true) at += withValue.test(words[at] ?? '') ? 2 : 1;
  const [command = '', ...others] = words.slice(at);
  const action = others.find((word) => !word.startsWith('-')) ?? '';
  if (command === 'worktree') return action === 'add';
  if (command === 'submodule') return ['add', 'init', 'update'].includes(action);
  return ['clone', 'init', 'init-db'].includes(command);
}

/**
 * Returns a command's alternative spellings: without its program's path, in lower case for case-insensitive
 * file systems, with braces expanded, and as another shell parses it.
 */
function otherForms(name: string, words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const [first, ...others] = words;
  const names = [name, name.toLowerCase()].filter((other) => other !== '' && other !== first?.value);
  const expanded = words.flatMap(expandBraces);
  const elsewhere = words.map((word) => ({ ...word, text: word.elsewhere ?? word.text }));
  return [
    ...names.map((other) => [literalWord(other), ...others]),
    ...(expanded.length > words.length ? [expanded] : []),
    ...(words.some((word) => word.elsewhere !== undefined) ? [elsewhere] : []),
  ];
}

function asCommands(texts: ReadonlySet<string>): readonly { readonly command: string }[] {
  return [...texts].map((command) => ({ command }));
}

/** Expands the first brace list in a word, such as `a{b,c}` to `ab ac`. */
function expandBraces(word: ShellWord): readonly ShellWord[] {
  if (word.isLiteral || !word.text.includes(',')) return [word];
  const units: readonly string[] = word.text.match(/\\[^]|\$\{|[^]/g) ?? [];
  const start = units.indexOf('{');
  if (start < 0) return [word];
  const items: string[] = [''];
  let depth = 1;
  let at = start + 1;
  for (; at < units.length; at++) {
    const unit = units[at] ?? '';
    if (unit.endsWith('{') && !unit.startsWith('\\')) depth++;
    if (unit === '}' && --depth === 0) break;
    if (unit === ',' && depth === 1) items.push('');
    else items.push(`${items.pop() ?? ''}${unit}`);
  }
  if (depth > 0 || items.length === 1) return [word];
  const [before, after] = [units.slice(0, start).join(''), units.slice(at + 1).join('')];
  return items.map((item) => ({ ...word, text: before + item + after || "''" }));
}

/**
 * Returns whether a rule such as `git add *` matches a simple command. `*` matches anything. A final ` *`
 * or `:*` also matches a command that ends there, but never the rest of a word. Quotes in a rule work as
 * they do in a command.
 */
export function matchesCommand(spec: string, command: string): boolean {
  const text = unitsOf(command);
  return [spec, quotedAsCommand(spec)].some((written) => {
    const pattern = written.endsWith(':*') ? `${written.slice(0, -2)} *` : written;
    if (matchesWildcard(unitsOf(pattern), text)) return true;
    return pattern.endsWith(' *') && matchesWildcard(unitsOf(pattern.slice(0, -2)), text);
  });
}

/** Normalises a rule that is a simple command, for comparison. Returns any other rule unchanged. */
function quotedAsCommand(spec: string): string {
  if (!/["'\\$`;&|<>()#]/.test(spec)) return spec.trim().replace(/[ \t]+/g, ' ');
  const words = readWords(spec);
  return words === undefined ? spec : textOfWords(words);
}

// Splits a string into units. A backslash and the next character form one unit, so `\ ` does not end a word.
function unitsOf(text: string): ArrayLike<string> {
  return text.includes('\\') ? (text.match(/\\[^]|[^]/g) ?? []) : text;
}
