import { resolve } from 'node:path';
import type { AgentOptions } from './options.ts';

/** The folder of a run's files, absolute. */
export function workspaceOf({ workspace, startDir }: AgentOptions): string | undefined {
  const folder = workspace ?? startDir;
  return folder === undefined ? undefined : resolve(folder);
}
