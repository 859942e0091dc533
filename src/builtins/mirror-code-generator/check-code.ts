import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { AgentError, crashReason, endOf, isJsonObject, parseJson } from '../../core/index.ts';
import {
  printFault,
  runProgram,
  stopOf,
  withoutFolder,
  type CheckContext,
  type CodeFault,
} from './check-programs.ts';
import { checkTests } from './check-tests.ts';
import { checkTypes, type Compiler } from './check-types.ts';
import { isTypeScript } from './language.ts';

/** The outcome of each check. Meaningful only if no check found an error. */
export interface Checks {
  readonly syntax: 'passed';
  /** `absent` if no compiler is installed, and `none` if there are no files to type-check. */
  readonly types: 'passed' | 'absent' | 'none';
  readonly tests: 'passed' | 'none';
}

/** The result of all checks. */
export interface CodeVerdict {
  readonly faults: readonly CodeFault[];
  readonly checks: Checks;
  /** Type errors in handwritten files. They do not prevent the code from being used. */
  readonly remarks: readonly string[];
}

/** The code to check, with file paths relative to the skill's folder. */
export interface CheckedCode {
  /** The files that the model wrote in the current round. */
  readonly written: readonly string[];
  /** All files that were generated from specs. */
  readonly generated: readonly string[];
  /** The exports that `src/index.*` must have. */
  readonly exports: readonly string[];
  /** The file, relative to `src`, that must have these exports. Defaults to `index.*`. */
  readonly entry?: string;
  readonly compiler: Compiler | undefined;
}

/** The time limit for each check, in milliseconds. */
const checkLimits = { syntax: 60_000, types: 60_000, load: 30_000, tests: 120_000 };

/** Checks a skill's code, starting with the cheapest check. Stops at the first check that finds errors. */
export async function checkCode(
  context: CheckContext,
  { written, generated, exports, entry: named, compiler }: CheckedCode,
  limits: typeof checkLimits = checkLimits,
): Promise<CodeVerdict> {
  const checks: Checks = { syntax: 'passed', types: 'none', tests: 'none' };
  const syntax = await checkSyntax(context, written, limits.syntax);
  if (syntax.length > 0) return { faults: syntax, checks, remarks: [] };

  const typed = typedIn(context.folder);
  const found =
    compiler === undefined || typed.length === 0
      ? []
      : await checkTypes(context, compiler, typed, limits.types);
  const isOurs = ({ file }: CodeFault): boolean => file === undefined || generated.includes(file);
  const types = typed.length === 0 ? 'none' : compiler === undefined ? 'absent' : 'passed';
  const sofar = {
    checks: { ...checks, types },
    remarks: found.filter((fault) => !isOurs(fault)).map(printFault),
  } as const;
  const faults = found.filter(isOurs);
  if (faults.length > 0) return { faults, ...sofar };

  const entry = named === undefined ? entryIn(context.folder) : `src/${named}`;
  const load =
    entry === undefined || exports.length === 0 ? [] : await checkLoad(context, entry, exports, limits.load);
  if (load.length > 0) return { faults: load, ...sofar };

  const tests = await checkTests(context, limits.tests);
  const { checks: passed, remarks } = sofar;
  return {
    faults: tests ?? [],
    checks: { ...passed, tests: tests === undefined ? 'none' : 'passed' },
    remarks,
  };
}

/** Returns the skill's entry file, which callers load. */
function entryIn(folder: string): string | undefined {
  const names = ['ts', 'mts', 'mjs', 'js'].map((extension) => `src/index.${extension}`);
  return names.find((name) => existsSync(join(folder, name)));
}

function typedIn(folder: string): readonly string[] {
  const source = join(folder, 'src');
  if (!existsSync(source)) return [];
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isTypeScript(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/**
 * Checks the syntax of code and JSON files. Paths are relative to the skill's folder. Throws
 * `sandbox.unavailable`, with the reason, if the check cannot run.
 */
export async function checkSyntax(
  context: CheckContext,
  files: readonly string[],
  timeoutMs: number,
): Promise<readonly CodeFault[]> {
  const result = await runProgram(context, 'syntax-worker', { files }, timeoutMs);
  const stopped = stopOf(result, timeoutMs);
  if (stopped !== undefined) return [{ message: `The syntax check ${stopped}.` }];
  const faults = parseJson(result.stdout);
  if (!Array.isArray(faults)) {
    const reason = crashReason(result.stderr) || 'it returned no result.';
    throw new AgentError('sandbox.unavailable', `The syntax could not be checked: ${reason}`, {
      hint: 'Run `skilled doctor` to check whether code can run on this machine.',
    });
  }
  return faults.filter(isJsonObject) as unknown as readonly CodeFault[];
}

const maxShown = 3000; // The maximum number of characters of an error or output to show.

// Stack frames of Node and of the load worker, which do not help to locate the error.
const innerFrame = /\n {4}at [^\n]*(?:node:internal|\/load-worker\.)[^\n]*/g;

/** Loads one of the skill's files and checks that it exports a function with each of the given names. */
export async function checkLoad(
  context: CheckContext,
  file: string,
  names: readonly string[],
  timeoutMs: number,
): Promise<readonly CodeFault[]> {
  const mark = randomUUID();
  const order = { module: join(context.folder, file), names, mark };
  const result = await runProgram(context, 'load-worker', order, timeoutMs);
  const stopped = stopOf(result, timeoutMs);
  if (stopped !== undefined) return [{ message: `${file} could not be loaded: it ${stopped}.` }];
  const [printed = '', report] = result.stdout.split(`\n${mark}`);
  const found = report === undefined ? undefined : parseJson(report);
  if (!isJsonObject(found)) {
    const said = endOf(withoutFolder(`${printed}\n${result.stderr}`.trim(), context.folder), maxShown);
    const reason = crashReason(withoutFolder(result.stderr, context.folder));
    const end = reason === '' ? '.' : `: ${reason}`;
    return [{ message: `${file} could not be loaded: the process ended early${end}\n${said}`.trimEnd() }];
  }
  const { thrown, missing = [] } = found;
  if (typeof thrown === 'string') {
    const stack = withoutFolder(thrown, context.folder).replaceAll(innerFrame, '').slice(0, maxShown);
    return [{ message: `${file} could not be loaded: ${stack}` }];
  }
  return (missing as readonly string[]).map((name) => ({
    message: `${file} does not export a function named ${name}.`,
  }));
}
