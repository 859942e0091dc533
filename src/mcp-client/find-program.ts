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
import type { StdioPlace } from './channel.ts';
import { readNpx, type NpxCommand } from './npx.ts';

/** What is run for a command, and the folders that it must be able to read. */
export interface FoundProgram {
  readonly program: string;
  readonly words: readonly string[];
  readonly read: readonly string[];
}

/**
 * The program for the command of a server. A package that `npx` would fetch is run as it is installed near the skill or
 * in the workspace; other commands are looked for in `node_modules/.bin` there, and then on the path.
 */
export function findProgram(place: ProgramPlace): FoundProgram {
  const { file, words } = choose(place);
  const { real, isScript } = lookAt(file, place);
  const read = [...new Set([...programFolders(file), ...programFolders(real), dirname(process.execPath)])];
  mustNotOpenHome(place.name, read);
  return isScript
    ? { program: process.execPath, words: [real, ...words], read }
    : { program: file, words, read };
}

type ProgramPlace = Pick<StdioPlace, 'name' | 'command' | 'args' | 'folder' | 'near' | 'path' | 'copy'>;

/** What a program is without links, and whether Node runs it. Of one in the folder of a skill the copy is looked at, since that is what runs. */
function lookAt(
  file: string,
  { name, copy }: ProgramPlace,
): { readonly real: string; readonly isScript: boolean } {
  if (copy === undefined || !isWithin(file, copy.of)) {
    const real = realpathSync(file);
    return { real, isScript: isNodeScript(real) };
  }
  const copied = join(copy.folder, below(copy.of, file));
  if (!existsSync(copied)) {
    throw new AgentError(
      'skill.changed',
      `The program of the server "${name}" was added after it was allowed.`,
      {
        hint: 'Run it again.',
      },
    );
  }
  const real = realpathSync(copied);
  return { real: join(copy.of, below(copy.folder, real)), isScript: isNodeScript(real) };
}

function choose(place: ProgramPlace): { readonly file: string; readonly words: readonly string[] } {
  const { name, command, args, folder = '/', near } = place;
  if (command === 'node') return { file: process.execPath, words: args };
  const npx = command === 'npx' ? readNpx(args) : undefined;
  const installed = npx === undefined ? undefined : findPackageProgram(npx, near);
  if (npx !== undefined && installed !== undefined) return { file: installed, words: npx.words };
  const file = isPath(command) ? resolve(folder, command) : findNamed(place);
  if (file !== undefined && isProgram(file)) {
    if (launchers.has(basename(file)) && !mayLaunch(place)) throw launcherFault(place, npx?.package);
    return { file, words: npx === undefined ? args : ['--fetch-retries=0', ...args] }; // without network it ends soon
  }
  throw new AgentError('server.unreachable', `There is no program "${command}" for the server "${name}".`, {
    hint:
      npx === undefined
        ? 'Install it, or write the full path of it as the command of the server.'
        : `Run "npm install ${npx.package}" in ${near.at(-1) ?? 'the workspace'}.`,
  });
}

const launchers = new Set(['npx', 'npm', 'pnpx', 'pnpm', 'bunx', 'yarn']);

/** These run what they find in the folder that they are started in, so that must be one whose programs count. */
function mayLaunch({ folder, near }: ProgramPlace): boolean {
  return folder === undefined || near.some((one) => isWithin(folder, one));
}

function launcherFault({ name, command, near }: ProgramPlace, wanted = 'the package'): AgentError {
  const message = `The server "${name}" is not started by ${command} in a project that is not trusted: it could be another program there.`;
  const where = near.at(-1);
  return new AgentError('server.unreachable', message, {
    hint: `Run "npm install ${where === undefined ? '' : `--prefix ${where} `}${wanted}", or trust the project.`,
  });
}

function isPath(command: string): boolean {
  return isAbsolute(command) || command.includes('/');
}

function findNamed({ command, near, path }: ProgramPlace): string | undefined {
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
    return false; // it is not there, or not for this user
  }
}

/** The file that `npx` would run of a package that is installed near one of these folders; undefined where there is none. */
function findPackageProgram(wanted: NpxCommand, near: readonly string[]): string | undefined {
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

/** A folder and all those that it lies in, the innermost first. */
function foldersUp(folder: string): readonly string[] {
  const up = dirname(folder);
  return up === folder ? [folder] : [folder, ...foldersUp(up)];
}

/** The folders that a program needs beside itself: the outermost `node_modules` it lies in, else its own and those of its packages. */
function programFolders(file: string): readonly string[] {
  const parts = file.split(sep);
  const modules = parts.indexOf('node_modules');
  if (modules !== -1) return [parts.slice(0, modules + 1).join(sep)];
  const folder = dirname(file);
  return folder === parse(folder).root ? [] : [folder];
}

/** A server reads the folder of its program, so that must hold nothing else of its user: throws where it holds all of it. */
export function mustNotOpenHome(server: string, folders: readonly string[]): void {
  const { homedir } = userInfo();
  const open = folders.find((folder) => isWithin(homedir, folder));
  if (open === undefined) return;
  throw new AgentError(
    'server.unreachable',
    `The program of the server "${server}" lies in ${open}, which holds a home.`,
    {
      hint: 'Put it into a folder of its own: the server reads all of it.',
    },
  );
}

/** Whether a file is a program for Node, by its first line or its name. */
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
    return ''; // what may be run but not read is no script
  }
}
