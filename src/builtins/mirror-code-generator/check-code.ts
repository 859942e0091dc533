import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { AgentError, crashReason, isJsonObject, parseJson } from '../../core/index.ts';
import {
  printFault,
  runProgram,
  stopOf,
  withoutPlace,
  type CheckPlace,
  type CodeFault,
} from './check-programs.ts';
import { checkTests } from './check-tests.ts';
import { checkTypes, type Compiler } from './check-types.ts';
import { isTypeScript } from './language.ts';

/** What was looked at, and how it came out where nothing is wrong. */
export interface Checks {
  readonly syntax: 'passed';
  /** Absent: there is no compiler. None: there is nothing to check. */
  readonly types: 'passed' | 'absent' | 'none';
  readonly tests: 'passed' | 'none';
}

/** What checks came to. */
export interface CodeVerdict {
  readonly faults: readonly CodeFault[];
  readonly checks: Checks;
  /** What is wrong with files that people wrote, which keeps nothing from being used. */
  readonly remarks: readonly string[];
}

/** Code that is to be checked; files are given from the folder of the skill. */
export interface CheckedCode {
  /** The files that were just written. */
  readonly written: readonly string[];
  /** All files that are made of specs, as they were made. */
  readonly made: readonly string[];
  /** What `src/index.*` must export. */
  readonly exports: readonly string[];
  /** The file that must export them instead, from `src`. */
  readonly entry?: string;
  readonly compiler: Compiler | undefined;
}

/** Milliseconds that each check may take. */
const checkLimits = { syntax: 60_000, types: 60_000, load: 30_000, tests: 120_000 };

/** Checks the code of a skill, cheapest first; what comes after a fault is not looked at. */
export async function checkCode(
  place: CheckPlace,
  { written, made, exports, entry: named, compiler }: CheckedCode,
  limits: typeof checkLimits = checkLimits,
): Promise<CodeVerdict> {
  const checks: Checks = { syntax: 'passed', types: 'none', tests: 'none' };
  const syntax = await checkSyntax(place, written, limits.syntax);
  if (syntax.length > 0) return { faults: syntax, checks, remarks: [] };

  const typed = typedIn(place.folder);
  const found =
    compiler === undefined || typed.length === 0
      ? []
      : await checkTypes(place, compiler, typed, limits.types);
  const isOurs = ({ file }: CodeFault): boolean => file === undefined || made.includes(file);
  const types = typed.length === 0 ? 'none' : compiler === undefined ? 'absent' : 'passed';
  const sofar = {
    checks: { ...checks, types },
    remarks: found.filter((fault) => !isOurs(fault)).map(printFault),
  } as const;
  const faults = found.filter(isOurs);
  if (faults.length > 0) return { faults, ...sofar };

  const entry = named === undefined ? entryIn(place.folder) : `src/${named}`;
  const load =
    entry === undefined || exports.length === 0 ? [] : await checkLoad(place, entry, exports, limits.load);
  if (load.length > 0) return { faults: load, ...sofar };

  const tests = await checkTests(place, limits.tests);
  const { checks: passed, remarks } = sofar;
  return {
    faults: tests ?? [],
    checks: { ...passed, tests: tests === undefined ? 'none' : 'passed' },
    remarks,
  };
}

/** The file that callers of the skill load. */
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
 * What is wrong with the syntax of files, given from the folder of the skill; only that of code and JSON is looked at.
 * Throws `sandbox.unavailable` with the reason when the check itself breaks.
 */
export async function checkSyntax(
  place: CheckPlace,
  files: readonly string[],
  timeoutMs: number,
): Promise<readonly CodeFault[]> {
  const result = await runProgram(place, 'syntax-worker', { files }, timeoutMs);
  const stopped = stopOf(result, timeoutMs);
  if (stopped !== undefined) return [{ message: `The check of the syntax ${stopped}.` }];
  const faults = parseJson(result.stdout);
  if (!Array.isArray(faults)) {
    const reason = crashReason(result.stderr) || 'it gave no answer.';
    throw new AgentError('sandbox.unavailable', `The syntax was not checked: ${reason}`, {
      hint: 'Run `skilled doctor`: it says whether code runs on this machine.',
    });
  }
  return faults.filter(isJsonObject) as unknown as readonly CodeFault[];
}

const mostShown = 3000; // characters of what a module throws or prints

const innerFrame = /\n {4}at [^\n]*(?:node:internal|\/load-worker\.)[^\n]*/g; // says nothing about the module

/** What is wrong with loading a file of the skill, and with what it exports: a function for every name. */
export async function checkLoad(
  place: CheckPlace,
  file: string,
  names: readonly string[],
  timeoutMs: number,
): Promise<readonly CodeFault[]> {
  const mark = randomUUID();
  const order = { module: join(place.folder, file), names, mark };
  const result = await runProgram(place, 'load-worker', order, timeoutMs);
  const stopped = stopOf(result, timeoutMs);
  if (stopped !== undefined) return [{ message: `${file} cannot be loaded: it ${stopped}.` }];
  const [printed = '', report] = result.stdout.split(`\n${mark}`);
  const found = report === undefined ? undefined : parseJson(report);
  if (!isJsonObject(found)) {
    const said = withoutPlace(`${printed}\n${result.stderr}`.trim(), place.folder).slice(-mostShown);
    const reason = crashReason(withoutPlace(result.stderr, place.folder));
    const end = reason === '' ? '.' : `: ${reason}`;
    return [
      { message: `${file} cannot be loaded: the process ended before it was${end}\n${said}`.trimEnd() },
    ];
  }
  const { thrown, missing = [] } = found;
  if (typeof thrown === 'string') {
    const stack = withoutPlace(thrown, place.folder).replaceAll(innerFrame, '').slice(0, mostShown);
    return [{ message: `${file} cannot be loaded: ${stack}` }];
  }
  return (missing as readonly string[]).map((name) => ({
    message: `${file} exports no function named ${name}.`,
  }));
}
