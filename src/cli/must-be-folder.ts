import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AgentError, reasonOf } from '../core/error.ts';
import { shellWord } from './shell-word.ts';

/** Throws `usage.not-found` for what a flag calls a folder and is none. */
export function mustBeFolder(path: string, flag: string): void {
  const fault = folderFault(path, flag);
  if (fault !== undefined) throw new AgentError('usage.not-found', fault.message, { hint: fault.hint });
}

function folderFault(
  path: string,
  flag: string,
): { readonly message: string; readonly hint: string } | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return undefined;
    if (stats !== undefined)
      return {
        message: `${path} is not a folder.`,
        hint: `Name its folder: ${flag} ${shellWord(dirname(path))}`,
      };
    const make = `mkdir -p ${shellWord(path)}`;
    return {
      message: `There is no folder ${path}.`,
      hint: `Name one that is there with ${flag}, or make it: ${make}`,
    };
  } catch (thrown) {
    const message = `The folder ${path} cannot be read: ${reasonOf(thrown)}.`;
    return { message, hint: `Name one that can be read with ${flag}.` };
  }
}
