import { pathToFileURL } from 'node:url';
import { entryFiles, type ProcessResult, type Sandbox } from '../../core/index.ts';

/** The sandbox and the folder in which a skill's code is checked. */
export interface CheckContext {
  readonly sandbox: Sandbox;
  /** The copy of the skill's folder. The checks do not modify it. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

const sources = ['builtins/mirror-code-generator'];
const programs = {
  'syntax-worker': () => entryFiles('builtins/mirror-code-generator/syntax-worker', sources),
  'types-worker': () => entryFiles('builtins/mirror-code-generator/types-worker', sources),
  'load-worker': () => entryFiles('builtins/mirror-code-generator/load-worker', sources),
} as const;

/** Returns the files that a sandbox must make readable for the check programs. */
export function programFiles(): readonly string[] {
  return [...new Set(Object.values(programs).flatMap((files) => files().read))];
}

/** Runs a check program on the copy of the skill's folder. The program receives `order` as JSON on stdin. */
export function runProgram(
  { sandbox, folder, signal }: CheckContext,
  name: keyof typeof programs,
  order: object,
  timeoutMs: number,
): Promise<ProcessResult> {
  const args = ['--no-warnings', '--experimental-vm-modules', programs[name]().entry];
  const stdin = JSON.stringify(order);
  return sandbox.run({ program: process.execPath, arguments: args, folder, stdin, timeoutMs }, signal);
}

/**
 * Returns the reason why a program was stopped, as the end of a sentence, or undefined if it was not stopped.
 */
export function stopOf({ timedOut, over }: ProcessResult, timeoutMs: number): string | undefined {
  const seconds = Math.ceil(timeoutMs / 1000);
  if (timedOut === true) return `was stopped after ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  if (over === 'memory') return "was stopped because it exceeded the sandbox's memory limit";
  return over === 'processes' ? 'was stopped because it started too many processes' : undefined;
}

/**
 * Removes the path of the temporary copy from a program's output, which makes the remaining paths relative.
 */
export function withoutFolder(text: string, folder: string): string {
  return text.replaceAll(pathToFileURL(`${folder}/`).href, '').replaceAll(`${folder}/`, '');
}

/** A problem that prevents code from being used. */
export interface CodeFault {
  /**
   * The file with the error, relative to the skill's folder, such as `src/index.ts`. Absent if the error is
   * not in a single file.
   */
  readonly file?: string;
  readonly line?: number;
  readonly message: string;
}

/** Formats an error in the way compilers do, with the location first. */
export function printFault({ file, line, message }: CodeFault): string {
  if (file === undefined) return message;
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}
