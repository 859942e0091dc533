import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentError, pause, reasonOf } from '../core/index.ts';
import { systemCode, tryFileLock } from '../files/index.ts';
import type { InstallTarget } from './target.ts';
import { finishChanges } from './transaction.ts';

const lockRetryMs = 25;

/**
 * Runs work while no other process installs skills in the target. First completes the change that a killed
 * process left unfinished. Calls `onWait` once if another process is installing now. Throws the abort reason if
 * the signal aborts.
 */
export async function withTarget<Result>(
  target: InstallTarget,
  { signal, onWait }: { readonly signal?: AbortSignal; readonly onWait?: () => void },
  work: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    openTarget(target);
    using lock = tryFileLock(join(target.state, 'lock'));
    if (lock !== undefined) {
      finishChanges(target);
      return await work();
    }
    if (tries === 0) onWait?.();
    await pause(lockRetryMs, signal);
  }
}

/** Creates the folders of a target. Throws `usage.bad-settings` if one of them is a link or not writable. */
function openTarget({ base, skills, state }: InstallTarget): void {
  try {
    for (const folder of [join(base, '.agents'), skills, state]) makeFolder(folder);
    ignoreInGit(state);
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    throw new AgentError('usage.bad-settings', `${skills} is not writable: ${reasonOf(thrown)}.`, {
      hint: 'Make the folder writable, or choose another project with --cwd.',
      cause: thrown,
    });
  }
}

function makeFolder(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) mkdirSync(path, { recursive: true });
  else if (!stats.isDirectory())
    throw new AgentError('usage.bad-settings', `${path} is a link or a file, not a folder.`, {
      hint: 'Replace it with a folder. Skills are not installed through links.',
    });
}

function ignoreInGit(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  }
}
