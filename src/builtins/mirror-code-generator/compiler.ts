import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isJsonObject, parseJson, type JsonObject } from '../../core/json.ts';

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
