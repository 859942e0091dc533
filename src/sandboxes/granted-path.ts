import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AgentError } from '../core/error.ts';
import { isWithin } from '../files/paths.ts';

/** The real path of something that exists in one of the folders; relative ones start in the first. */
export async function grantedPath(path: string, folders: readonly string[]): Promise<string> {
  const real = await realPath(resolve(folders[0] ?? '/', path));
  if (real === undefined) throw new AgentError('usage.not-found', `There is no "${path}".`);
  return mustBeWithin(path, real, folders);
}

/** The same for something that may have to be made, in a folder that exists; a link that leads nowhere is refused. */
export async function grantedTarget(path: string, folders: readonly string[]): Promise<string> {
  const full = resolve(folders[0] ?? '/', path);
  const real = await realPath(full);
  if (real !== undefined) return mustBeWithin(path, real, folders);
  const target = join(await grantedPath(dirname(full), folders), basename(full));
  if (await isThere(target)) throw outside(path);
  return target;
}

async function mustBeWithin(path: string, real: string, folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    const granted = await realPath(folder);
    if (granted !== undefined && isWithin(real, granted)) return real;
  }
  throw outside(path);
}

function outside(path: string): AgentError {
  return new AgentError('policy.denied', `"${path}" lies outside of what the sandbox may touch.`, {
    hint: 'Use a path inside the workspace.',
  });
}

/** Also a link whose target is missing: writing to it would make that target, wherever it is. */
async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new AgentError('usage.bad-input', `"${path}" cannot be opened.`, { cause: thrown });
  }
}
