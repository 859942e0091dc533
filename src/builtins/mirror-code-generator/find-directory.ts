import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { AgentError } from '../../core/error.ts';
import type { Scope } from '../../core/scope.ts';
import { resolveInside } from '../../files/open-file.ts';
import { isWithin, locate } from '../../files/paths.ts';

/**
 * The folder of the skill whose code is meant, absolute. A person may name any in the workspace and that of any skill; a
 * skill only one that it can read as that of a skill, so that nothing else in the workspace is taken for one.
 */
export function findDirectory(
  directory: string,
  scope: Pick<Scope, 'depth' | 'readable' | 'workspace' | 'lookUp'>,
): string {
  const { depth, readable, workspace } = scope;
  const named = scope.lookUp(basename(directory))?.dir ?? '';
  const others = depth === 1 && named !== '' ? [...readable, named] : readable;
  const area = { workspace, others };
  const dir = locate(area, directory);
  const isInside = depth === 1 && workspace !== undefined && isWithin(dir, resolve(workspace));
  if (!isInside && !others.includes(dir)) {
    throw new AgentError(
      'policy.denied',
      `"${directory}" is not the folder of a skill that may be changed.`,
      {
        hint: 'A person can name the folder of a skill or one in the workspace, a skill only its own.',
      },
    );
  }
  const { real } = resolveInside(area, directory);
  if (!statSync(real).isDirectory()) {
    throw new AgentError('usage.bad-input', `"${directory}" is not a folder.`, {
      hint: 'Give the folder of a skill, the one with its specs folder.',
    });
  }
  return dir;
}
