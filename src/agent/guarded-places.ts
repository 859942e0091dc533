import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Grant } from '../core/sandbox.ts';
import { isWithin } from '../files/paths.ts';
import type { AgentOptions, Ports } from './options.ts';
import { workspaceOf } from './workspace.ts';

// What decides about this agent, and what git runs by itself.
const inWorkspace = ['.skilled', '.git/hooks', '.git/config', '.git/config.worktree', '.git/modules'];

/**
 * Files and folders that no process of a skill changes: whoever did could answer a question, trust itself, or act later.
 * The log of all runs is not seen either.
 */
export function guardedPlaces(
  options: AgentOptions,
  ports: Pick<Ports, 'trustFile'>,
): Pick<Grant, 'keep' | 'hide'> {
  const workspace = workspaceOf(options);
  if (workspace === undefined) return {};
  const { store, trustFile } = options;
  const isFile = typeof store === 'string' && !/^\w+:/.test(store);
  return {
    keep: [
      ...inWorkspace.map((name) => join(workspace, name)),
      ...(trustFile === undefined ? [] : [resolve(trustFile)]),
      ...(ports.trustFile === undefined ? [] : [ownFolder(dirname(ports.trustFile), workspace)]),
    ],
    hide: isFile ? ['', '-wal', '-shm'].map((end) => resolve(`${store}${end}`)) : [],
  };
}

/** The user's own folder; where it could be made by a process of a skill, it is made before. */
function ownFolder(folder: string, workspace: string): string {
  if (isWithin(folder, workspace)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
