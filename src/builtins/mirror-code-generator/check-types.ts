import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { crashReason, isJsonObject, parseJson, type JsonObject } from '../../core/index.ts';
import { runProgram, stopOf, type CheckContext, type CodeFault } from './check-programs.ts';

/** Type-checks files of a skill. Paths are relative to the skill's folder. */
export async function checkTypes(
  context: CheckContext,
  { file: compiler, types }: Compiler,
  files: readonly string[],
  timeoutMs: number,
): Promise<readonly CodeFault[]> {
  const paths = files.map((file) => join(context.folder, file));
  const order = { compiler, types, declaration: scopeDeclaration, files: paths };
  const result = await runProgram(context, 'types-worker', order, timeoutMs);
  const stopped = stopOf(result, timeoutMs);
  if (stopped !== undefined) return [{ message: `The type check ${stopped}.` }];
  const faults = readCompilerOutput(result.stdout);
  if (result.exitCode !== 0 && faults.length === 0 && !isOnlyUntyped(result.stdout)) {
    const reason = crashReason(result.stderr) || crashReason(result.stdout);
    return [{ message: `The types could not be checked: ${reason}` }];
  }
  return faults;
}

const untypedPackage = 'TS7016'; // The error for a package without types, which is not a code fault.

/**
 * Reads the errors in a compiler's output, each with the explanatory lines that follow it. Skips errors
 * without a location and errors about packages without types.
 */
export function readCompilerOutput(output: string): readonly CodeFault[] {
  const faults: { file: string; line: number; message: string }[] = [];
  let isCounted = false;
  for (const line of output.split(/\r?\n/)) {
    const [, file, at, code, message] = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/.exec(line) ?? [];
    if (file !== undefined && message !== undefined) {
      isCounted = code !== untypedPackage;
      if (isCounted) faults.push({ file, line: Number(at), message });
    } else if (isCounted && /^\s+\S/.test(line)) {
      const last = faults.at(-1);
      if (last !== undefined) last.message += `\n${line}`;
    }
  }
  return faults;
}

function isOnlyUntyped(output: string): boolean {
  return output.includes(` error ${untypedPackage}: `);
}

/** The type declarations of this package that a skill's code needs, such as the type of `scope`. */
const scopeDeclaration = `declare module 'skilled' {
  export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
  export interface JsonObject {
    readonly [key: string]: Json;
  }
  export interface ErrorData {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly details?: Json;
  }
  export type Output =
    | { readonly status: 'done'; readonly text: string; readonly value?: Json; readonly variables?: JsonObject }
    | { readonly status: 'failed'; readonly text: string; readonly error: ErrorData };
  export interface CodeModelOptions {
    readonly tier?: string;
    readonly schema?: JsonObject;
    readonly system?: string;
  }
  export interface CodeScope {
    readonly skill: string;
    readonly runId: string;
    readonly session: string;
    readonly signal: AbortSignal;
    call(name: string, input?: Json): Promise<Output>;
    model(prompt: string, options?: CodeModelOptions): Promise<Json>;
    note(message: string, data?: Json): void;
  }
}
`;

/** A TypeScript compiler that is installed alongside this package. */
export interface Compiler {
  /** The compiler's executable script, which is run with Node. */
  readonly file: string;
  /** The `@types` folder that contains the type declarations for Node. */
  readonly types: string;
  /** The folders that the compiler must be able to read. */
  readonly folders: readonly string[];
}

const require = createRequire(import.meta.url);

/**
 * Finds TypeScript and the type declarations for Node, which this package does not include. Returns undefined
 * if either is missing.
 */
export function findCompiler(resolve: (name: string) => string = require.resolve): Compiler | undefined {
  const compiler = findPackage('typescript', resolve);
  const types = findPackage('@types/node', resolve);
  const bin = compiler?.manifest['bin'];
  const program = isJsonObject(bin) ? bin['tsc'] : undefined;
  if (compiler === undefined || types === undefined || typeof program !== 'string') return undefined;
  return {
    file: join(compiler.folder, program),
    types: dirname(types.folder),
    folders: [...new Set([...foldersOf(compiler), ...foldersOf(types)])],
  };
}

interface Package {
  readonly folder: string;
  readonly manifest: JsonObject;
}

function findPackage(name: string, resolve: (name: string) => string): Package | undefined {
  try {
    const file = resolve(`${name}/package.json`);
    const manifest = parseJson(readFileSync(file, 'utf8'));
    return isJsonObject(manifest) ? { folder: dirname(file), manifest } : undefined;
  } catch {
    return undefined; // The package is not installed. The caller handles that.
  }
}

/** Returns the folders of a package and all its installed dependencies. */
function foldersOf(found: Package, seen = new Set<string>()): readonly string[] {
  if (seen.has(found.folder)) return [];
  seen.add(found.folder);
  const { dependencies = {}, optionalDependencies = {} } = found.manifest;
  const { resolve } = createRequire(join(found.folder, 'package.json'));
  for (const name of [dependencies, optionalDependencies].flatMap((list) => Object.keys(list ?? {}))) {
    const inner = findPackage(name, resolve);
    if (inner !== undefined) foldersOf(inner, seen);
  }
  return [...seen];
}
