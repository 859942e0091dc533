import { anythingIn, nothing, type Inner } from './inner.ts';
import type { ShellWord } from './shell-word.ts';

/** What `sh`, `bash` and their like run: the script behind `-c`, or what they are given to read. */
export function innerOfShell(words: readonly ShellWord[], given: readonly string[]): Inner {
  const options = readOptions(words.slice(1));
  if (options === undefined) return anythingIn(words);
  const { hasScript, readsInput, rest } = options;
  const [first] = rest;
  if (hasScript) return innerOfScript(first === undefined ? [] : [first]);
  if (first === undefined || readsInput) return { commands: [], scripts: given, areAll: false };
  return innerOfFile(rest, given);
}

/** What `eval` and the shells make of words: one script. Without any, it comes from elsewhere. */
export function innerOfScript(words: readonly ShellWord[]): Inner {
  const script = words.map(({ value }) => value).join(' ');
  const areAll = words.length > 0 && words.every(({ isLiteral }) => isLiteral);
  return { commands: [], scripts: [script], areAll };
}

/** What `trap` runs later. */
export function innerOfTrap(words: readonly ShellWord[]): Inner {
  const [script] = words.slice(words[1]?.value === '--' ? 2 : 1);
  return script === undefined || script.value === '-' ? nothing : innerOfScript([script]);
}

/** What `source` runs: a file is a program like others, unless it stands for what is given to read. */
export function innerOfFile(words: readonly ShellWord[], given: readonly string[]): Inner {
  const [file] = words;
  if (file === undefined) return nothing;
  const isProgram = file.isLiteral && !/^\/*(?:dev|proc)\//.test(file.value);
  return isProgram ? { ...nothing, alike: words } : { commands: [], scripts: given, areAll: false };
}

const harmless: ReadonlySet<string> = new Set(['--norc', '--noprofile', '--posix', '--login', '--verbose']);

/** Undefined when nobody can say what is an option and what is not. */
function readOptions(words: readonly ShellWord[]) {
  let hasScript = false;
  let readsInput = false;
  let index = 0;
  for (let word = words[0]; word !== undefined; word = words[index]) {
    const { value, isLiteral } = word;
    if (!isLiteral && !hasScript) return undefined;
    if (!isLiteral || !/^[-+]/.test(value)) break;
    index++;
    if (value === '--' || value === '-') break;
    if (harmless.has(value)) continue;
    if (value.startsWith('--')) return undefined;
    if (value.startsWith('-')) {
      hasScript ||= value.includes('c');
      readsInput ||= value.includes('s');
    }
    index += value.replace(/[^oO]/g, '').length;
  }
  return { hasScript, readsInput, rest: words.slice(index) };
}
