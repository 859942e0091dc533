import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../core/json.ts';
import { isWithin } from '../files/paths.ts';
import type { NpxCommand } from './npx-words.ts';
import { foldersUp } from './program-folders.ts';

/** The file that `npx` would run of a package that is installed near one of these folders; undefined where there is none. */
export function findPackageProgram(wanted: NpxCommand, near: readonly string[]): string | undefined {
  for (const folder of new Set(near.flatMap(foldersUp))) {
    const found = programIn(join(folder, 'node_modules', wanted.package), wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

function programIn(folder: string, wanted: NpxCommand): string | undefined {
  const manifest = readManifest(join(folder, 'package.json'));
  if (manifest === undefined || !isWantedVersion(wanted.version, manifest['version'])) return undefined;
  const file = fileNamed(manifest['bin'], wanted);
  if (file === undefined) return undefined;
  const path = join(folder, file);
  return isWithin(path, folder) && existsSync(path) ? path : undefined;
}

/** As `npx` chooses: the only one, or the one that is named like the package. */
function fileNamed(bin: Json | undefined, { package: name, program }: NpxCommand): string | undefined {
  const own = basename(name);
  const programs: JsonObject = typeof bin === 'string' ? { [own]: bin } : isJsonObject(bin) ? bin : {};
  const names = Object.keys(programs);
  const chosen = program ?? (names.length === 1 ? names[0] : own);
  const file = chosen === undefined || !Object.hasOwn(programs, chosen) ? undefined : programs[chosen];
  return typeof file === 'string' ? file : undefined;
}

/** A version that is written out is meant; a tag or a range is met by what is installed. */
function isWantedVersion(wanted: string | undefined, installed: Json | undefined): boolean {
  return wanted === undefined || !/^v?\d+\.\d+\.\d+/.test(wanted) || wanted.replace(/^v/, '') === installed;
}

function readManifest(file: string): JsonObject | undefined {
  try {
    const value = parseJson(readFileSync(file, 'utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // it is not installed there
  }
}
