import { userInfo } from 'node:os';
import { dirname, parse, sep } from 'node:path';
import { AgentError } from '../core/error.ts';
import { isWithin } from '../files/paths.ts';

/** A folder and all those that it lies in, the innermost first. */
export function foldersUp(folder: string): readonly string[] {
  const up = dirname(folder);
  return up === folder ? [folder] : [folder, ...foldersUp(up)];
}

/** The folders that a program needs beside itself: the outermost `node_modules` it lies in, else its own and those of its packages. */
export function programFolders(file: string): readonly string[] {
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
