import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AgentError } from '../core/error.ts';
import { isWithin } from '../files/paths.ts';

/** The real path of something that exists in one of the folders; relative ones start in the first. */
export async function grantedPath(path: string, folders: readonly string[]): Promise<string> {
  const real = await realPath(resolve(folders[0] ?? '/', path));
  if (real === undefined) throw new AgentError('usage.not-found', `There is no "${path}".`);
  return mustBeWithin(path, real, folders);
}

/** The same for something that may have to be made; the folder that it lies in exists. */
export async function grantedTarget(path: string, folders: readonly string[]): Promise<string> {
  const full = resolve(folders[0] ?? '/', path);
  const real = await realPath(full);
  if (real !== undefined) return mustBeWithin(path, real, folders);
  const folder = await grantedPath(dirname(full), folders);
  return join(folder, basename(full));
}

async function mustBeWithin(path: string, real: string, folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    const granted = await realPath(folder);
    if (granted !== undefined && isWithin(real, granted)) return real;
  }
  throw new AgentError('policy.denied', `"${path}" lies outside of what the sandbox may touch.`, {
    hint: 'Use a path inside the workspace.',
  });
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new AgentError('usage.bad-input', `"${path}" cannot be opened.`, { cause: thrown });
  }
}
