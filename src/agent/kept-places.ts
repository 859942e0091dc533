import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWithin } from '../files/paths.ts';
import type { AgentOptions, Ports } from './options.ts';
import { workspaceOf } from './workspace.ts';

// What decides about this agent, and what git runs by itself.
const inWorkspace = ['.skilled', '.git/hooks', '.git/config', '.git/config.worktree', '.git/modules'];

/** Files and folders that no process of a skill changes: whoever did could answer a question, trust itself, or act later. */
export function keptPlaces(options: AgentOptions, ports: Pick<Ports, 'trustFile'>): readonly string[] {
  const workspace = workspaceOf(options);
  if (workspace === undefined) return [];
  const { store, trustFile } = options;
  const isFile = typeof store === 'string' && !/^\w+:/.test(store);
  return [
    ...inWorkspace.map((name) => join(workspace, name)),
    ...(isFile ? ['', '-wal', '-shm'].map((end) => resolve(`${store}${end}`)) : []),
    ...(trustFile === undefined ? [] : [resolve(trustFile)]),
    ...(ports.trustFile === undefined ? [] : [ownFolder(dirname(ports.trustFile), workspace)]),
  ];
}

/** The user's own folder; where it could be made by a process of a skill, it is made before. */
function ownFolder(folder: string, workspace: string): string {
  if (isWithin(folder, workspace)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
