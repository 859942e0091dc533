import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { crashReason, isJsonObject, parseJson, type JsonObject } from '../../core/index.ts';
import { runProgram, stopOf, type CheckPlace, type CodeFault } from './check-programs.ts';

/** What is wrong with the types of files, given from the folder of the skill. */
export async function checkTypes(
  place: CheckPlace,
  { file: compiler, types }: Compiler,
  files: readonly string[],
  timeoutMs: number,
): Promise<readonly CodeFault[]> {
  const paths = files.map((file) => join(place.folder, file));
  const order = { compiler, types, declaration: scopeDeclaration, files: paths };
  const result = await runProgram(place, 'types-worker', order, timeoutMs);
  const stopped = stopOf(result, timeoutMs);
  if (stopped !== undefined) return [{ message: `The check of the types ${stopped}.` }];
  const faults = readCompilerOutput(result.stdout);
  if (result.exitCode !== 0 && faults.length === 0 && !isOnlyUntyped(result.stdout)) {
    const reason = crashReason(result.stderr) || crashReason(result.stdout);
    return [{ message: `The types were not checked: ${reason}` }];
  }
  return faults;
}

const untypedPackage = 'TS7016'; // that a package comes without types is not the fault of whoever uses it

/** The faults that a compiler printed with a place, each with the lines below it that explain it. */
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

/** What TypeScript is told of the package while it checks the code of a skill: the scope that an action is given. */
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

/** A TypeScript compiler that is installed beside this package. */
export interface Compiler {
  /** The program, for Node to run. */
  readonly file: string;
  /** The folder in which it finds the types of Node. */
  readonly types: string;
  /** All that it has to read. */
  readonly folders: readonly string[];
}

const require = createRequire(import.meta.url);

/** Finds TypeScript and the types of Node, neither of which comes with this package; undefined where one is missing. */
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
    return undefined; // not installed, which its caller says
  }
}

/** Its folder and those of the packages that it is made of, as far as they are installed. */
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
