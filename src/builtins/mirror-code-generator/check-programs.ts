import { pathToFileURL } from 'node:url';
import { entryFiles, type CommandResult, type Sandbox } from '../../core/index.ts';

/** Where code is checked. */
export interface CheckPlace {
  readonly sandbox: Sandbox;
  /** The copy of the skill; nothing in it is written. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

const sources = ['builtins/mirror-code-generator'];
const programs = {
  'syntax-worker': () => entryFiles('builtins/mirror-code-generator/syntax-worker', sources),
  'types-worker': () => entryFiles('builtins/mirror-code-generator/types-worker', sources),
  'load-worker': () => entryFiles('builtins/mirror-code-generator/load-worker', sources),
} as const;

/** What a sandbox must be able to read for the programs to run in it. */
export function programFiles(): readonly string[] {
  return [...new Set(Object.values(programs).flatMap((files) => files().read))];
}

/** Runs one of the programs beside this file, in the copy, with an order as JSON. */
export function runProgram(
  { sandbox, folder, signal }: CheckPlace,
  name: keyof typeof programs,
  order: object,
  timeoutMs: number,
): Promise<CommandResult> {
  const words = ['--no-warnings', '--experimental-vm-modules', programs[name]().entry];
  const stdin = JSON.stringify(order);
  return sandbox.run({ program: process.execPath, arguments: words, folder, stdin, timeoutMs }, signal);
}

/** Why a program came to no end of its own, in words; undefined where it did. */
export function stopOf({ timedOut, over }: CommandResult, timeoutMs: number): string | undefined {
  const seconds = Math.ceil(timeoutMs / 1000);
  if (timedOut === true) return `was stopped after ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  if (over === 'memory') return 'was stopped because it took more memory than the sandbox has';
  return over === 'processes' ? 'was stopped because it started too many processes' : undefined;
}

/** A text of a program without the place of the copy, which says nothing to anybody. */
export function withoutPlace(text: string, folder: string): string {
  return text.replaceAll(pathToFileURL(`${folder}/`).href, '').replaceAll(`${folder}/`, '');
}

/** What keeps code from being used. */
export interface CodeFault {
  /** From the folder of the skill, as `src/index.ts`; absent where no single file is to blame. */
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
}

/** A fault as compilers print it: place first. */
export function printFault({ file, line, message }: CodeFault): string {
  if (file === undefined) return message;
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}
