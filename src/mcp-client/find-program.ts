import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { AgentError, isJsonObject, parseJson, type Json, type JsonObject } from '../core/index.ts';
import { below, isWithin } from '../files/index.ts';
import type { StdioEndpoint } from './channel.ts';
import { readNpx, type NpxCommand } from './npx.ts';

/** The program to run for a server's command, with the folders that it must be able to read. */
export interface FoundProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly read: readonly string[];
}

/**
 * Finds the program to run for a server's command. For `npx`, looks for the package near the skill and in the
 * workspace. Otherwise, searches `node_modules/.bin` in these folders and then the PATH.
 */
export function findProgram(endpoint: ProgramEndpoint): FoundProgram {
  const { file, args } = choose(endpoint);
  const { real, isScript } = lookAt(file, endpoint);
  const read = [...new Set([...programFolders(file), ...programFolders(real), dirname(process.execPath)])];
  mustNotOpenHome(endpoint.name, read);
  return isScript
    ? { program: process.execPath, args: [real, ...args], read }
    : { program: file, args, read };
}

type ProgramEndpoint = Pick<StdioEndpoint, 'name' | 'command' | 'args' | 'folder' | 'near' | 'path' | 'copy'>;

/**
 * Returns the real path of a program and whether Node runs it. For a program in a skill's folder, inspects
 * the verified copy of the skill, because that copy is what runs.
 */
function lookAt(
  file: string,
  { name, copy }: ProgramEndpoint,
): { readonly real: string; readonly isScript: boolean } {
  if (copy === undefined || !isWithin(file, copy.of)) {
    const real = realpathSync(file);
    return { real, isScript: isNodeScript(real) };
  }
  const copied = join(copy.folder, below(copy.of, file));
  if (!existsSync(copied)) {
    throw new AgentError(
      'skill.changed',
      `The program for the server "${name}" was added after the server was approved.`,
      {
        hint: 'Run it again.',
      },
    );
  }
  const real = realpathSync(copied);
  return { real: join(copy.of, below(copy.folder, real)), isScript: isNodeScript(real) };
}

function choose(endpoint: ProgramEndpoint): { readonly file: string; readonly args: readonly string[] } {
  const { name, command, args, folder = '/', near } = endpoint;
  if (command === 'node') return { file: process.execPath, args };
  const npx = command === 'npx' ? readNpx(args) : undefined;
  const installed = npx === undefined ? undefined : findPackageProgram(npx, near);
  if (npx !== undefined && installed !== undefined) return { file: installed, args: npx.args };
  const file = isPath(command) ? resolve(folder, command) : findNamed(endpoint);
  if (file !== undefined && isProgram(file)) {
    if (launchers.has(basename(file)) && !mayLaunch(endpoint)) throw launcherFault(endpoint, npx?.package);
    // Without network access, `npx` must fail immediately instead of retrying.
    return { file, args: npx === undefined ? args : ['--fetch-retries=0', ...args] };
  }
  throw new AgentError('server.unreachable', `Program "${command}" for the server "${name}" was not found.`, {
    hint:
      npx === undefined
        ? 'Install the program, or set its full path as the server command.'
        : `Run "npm install ${npx.package}" in ${near.at(-1) ?? 'the workspace'}.`,
  });
}

const launchers = new Set(['npx', 'npm', 'pnpx', 'pnpm', 'bunx', 'yarn']);

/**
 * Whether `npx` or a similar launcher may be started. A launcher runs programs from its working folder, so
 * that folder must be trusted.
 */
function mayLaunch({ folder, near }: ProgramEndpoint): boolean {
  return folder === undefined || near.some((one) => isWithin(folder, one));
}

function launcherFault({ name, command, near }: ProgramEndpoint, packageName = 'the package'): AgentError {
  const message = `The server "${name}" was not started because ${command} could run another program in an untrusted project.`;
  const where = near.at(-1);
  return new AgentError('server.unreachable', message, {
    hint: `Run "npm install ${where === undefined ? '' : `--prefix ${where} `}${packageName}", or trust the project.`,
  });
}

function isPath(command: string): boolean {
  return isAbsolute(command) || command.includes('/');
}

function findNamed({ command, near, path }: ProgramEndpoint): string | undefined {
  const beside = near.flatMap(foldersUp).map((folder) => join(folder, 'node_modules', '.bin', command));
  const onPath = path
    .split(':')
    .filter(isAbsolute)
    .map((folder) => join(folder, command));
  return [...beside, ...onPath].find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // The file is missing, or the user may not execute it.
  }
}

/**
 * Returns the program that `npx` would run from a package in or above one of these folders, or undefined if
 * the package is not installed there.
 */
function findPackageProgram(npx: NpxCommand, near: readonly string[]): string | undefined {
  for (const folder of new Set(near.flatMap(foldersUp))) {
    const found = programIn(join(folder, 'node_modules', npx.package), npx);
    if (found !== undefined) return found;
  }
  return undefined;
}

function programIn(folder: string, npx: NpxCommand): string | undefined {
  const manifest = readManifest(join(folder, 'package.json'));
  if (manifest === undefined || !satisfiesVersion(npx.version, manifest['version'])) return undefined;
  const file = fileNamed(manifest['bin'], npx);
  if (file === undefined) return undefined;
  const path = join(folder, file);
  return isWithin(path, folder) && existsSync(path) ? path : undefined;
}

/**
 * Returns the path of the program that `npx` would run: the requested one, the package's only program, or the
 * program named after the package.
 */
function fileNamed(bin: Json | undefined, { package: name, program }: NpxCommand): string | undefined {
  const own = basename(name);
  const programs: JsonObject = typeof bin === 'string' ? { [own]: bin } : isJsonObject(bin) ? bin : {};
  const names = Object.keys(programs);
  const chosen = program ?? (names.length === 1 ? names[0] : own);
  const file = chosen === undefined || !Object.hasOwn(programs, chosen) ? undefined : programs[chosen];
  return typeof file === 'string' ? file : undefined;
}

/**
 * Whether an installed version is acceptable. If an exact version is required, the installed version must be
 * the same. For a tag or a range, any version is acceptable.
 */
function satisfiesVersion(required: string | undefined, installed: Json | undefined): boolean {
  return (
    required === undefined || !/^v?\d+\.\d+\.\d+/.test(required) || required.replace(/^v/, '') === installed
  );
}

function readManifest(file: string): JsonObject | undefined {
  try {
    const value = parseJson(readFileSync(file, 'utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // The package is not installed in this folder.
  }
}

/** Returns a folder and all of its parent folders, innermost first. */
function foldersUp(folder: string): readonly string[] {
  const up = dirname(folder);
  return up === folder ? [folder] : [folder, ...foldersUp(up)];
}

/**
 * Returns the folder that a program must be able to read: the outermost `node_modules` folder that contains
 * the program, or otherwise the program's own folder.
 */
function programFolders(file: string): readonly string[] {
  const parts = file.split(sep);
  const modules = parts.indexOf('node_modules');
  if (modules !== -1) return [parts.slice(0, modules + 1).join(sep)];
  const folder = dirname(file);
  return folder === parse(folder).root ? [] : [folder];
}

/**
 * Throws if one of the folders contains the user's home folder, because the server could then read all files
 * in the home folder.
 */
export function mustNotOpenHome(server: string, folders: readonly string[]): void {
  const { homedir } = userInfo();
  const open = folders.find((folder) => isWithin(homedir, folder));
  if (open === undefined) return;
  throw new AgentError(
    'server.unreachable',
    `The program for the server "${server}" is in ${open}, which contains a home folder.`,
    {
      hint: 'Move the program to a separate folder. The server can read everything in its folder.',
    },
  );
}

/** Whether Node runs a file, according to its first line or its extension. */
function isNodeScript(file: string): boolean {
  const line = firstLine(file);
  return line.startsWith('#!') ? /[/ ]node(?:\s|$)/.test(line) : /\.[cm]?js$/.test(file);
}

function firstLine(file: string): string {
  try {
    const handle = openSync(file, 'r');
    try {
      const head = Buffer.alloc(128);
      const length = readSync(handle, head, 0, head.length, 0);
      return head.toString('latin1', 0, length).split('\n')[0] ?? '';
    } finally {
      closeSync(handle);
    }
  } catch {
    return ''; // An unreadable file cannot be run as a script.
  }
}
