import { expandBraces } from './expand-braces.ts';
import { innerOf } from './inner-of.ts';
import { keepsMeaning } from './keeps-meaning.ts';
import { readScript, type SimpleCommand } from './read-script.ts';
import { literalWord, textOfWords, type ShellWord } from './shell-word.ts';

/** A command line taken apart. */
export interface ShellParts {
  /** Each simple command that it could run, those that other commands run included. */
  readonly parts: readonly { readonly command: string }[];
  /** The same in other words, for rules that forbid. */
  readonly suspected: readonly { readonly command: string }[];
  /** It does nothing but run its parts, as far as a reader can tell. */
  readonly areAll: boolean;
  /** Some of it was too long or too deep to be read. */
  readonly isUnread?: true;
  /** It makes git repositories, as `git clone` does, as far as a reader can tell. */
  readonly makesRepositories?: true;
}

/** Takes a command line apart as bash would read it. Pure; never throws. */
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
  /** It goes to another folder. */
  hasMoved: boolean;
  /** It runs a program by a path that begins where it is, so that in another folder it is another program. */
  isRelative: boolean;
  makesRepositories: boolean;
}

const moving: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd']);
// Commands that run commands that run commands.
const mostDepth = 8;

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
  if (depth === mostDepth) {
    found.isUnread = true;
    return;
  }
  for (const words of inner.commands) addCommand(found, { ...command, words }, depth + 1);
  for (const script of inner.scripts) addScript(found, script, depth + 1);
}

function isRelative({ value }: ShellWord, [script]: readonly ShellWord[] = []): boolean {
  return script === undefined ? /^[^/]+\//.test(value) : !script.value.startsWith('/');
}

// Options of git that take the next word.
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

/** A command without the path of its program, in small letters for file systems without case, with braces expanded, as another shell reads it. */
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
