import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { AgentError } from '../core/error.ts';
import { below, isWithin } from '../files/paths.ts';
import type { StdioPlace } from './channel.ts';
import { findPackageProgram } from './package-program.ts';
import { isNodeScript } from './is-node-script.ts';
import { readNpx } from './npx-words.ts';
import { foldersUp, mustNotOpenHome, programFolders } from './program-folders.ts';

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
