import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { checkLoad } from './check-load.ts';
import type { CheckPlace } from './check-place.ts';
import { checkSyntax } from './check-syntax.ts';
import { checkTests } from './check-tests.ts';
import { checkTypes } from './check-types.ts';
import type { Compiler } from './compiler.ts';
import { printFault, type Fault } from './fault.ts';
import { isTypeScript } from './language-of.ts';

/** What was looked at, and how it came out where nothing is wrong. */
export interface Checks {
  readonly syntax: 'passed';
  /** Absent: there is no compiler. None: there is nothing to check. */
  readonly types: 'passed' | 'absent' | 'none';
  readonly tests: 'passed' | 'none';
}

/** What checks came to. */
export interface Verdict {
  readonly faults: readonly Fault[];
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
): Promise<Verdict> {
  const checks: Checks = { syntax: 'passed', types: 'none', tests: 'none' };
  const syntax = await checkSyntax(place, written, limits.syntax);
  if (syntax.length > 0) return { faults: syntax, checks, remarks: [] };

  const typed = typedIn(place.folder);
  const found =
    compiler === undefined || typed.length === 0
      ? []
      : await checkTypes(place, compiler, typed, limits.types);
  const isOurs = ({ file }: Fault): boolean => file === undefined || made.includes(file);
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
