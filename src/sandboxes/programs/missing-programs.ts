import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { AgentError, type Grant, type ProcessResult } from '../../core/index.ts';
import { findRealPath, isInAny } from '../../files/index.ts';
import { systemFolders } from '../bubblewrap/system-mounts.ts';
import type { ProgramFolders } from './program-search.ts';

/** A program that the host finds on its `PATH`, but a sandbox does not. */
export interface MissingProgram {
  readonly name: string;
  /** The real path of the program's folder. */
  readonly folder: string;
}

/**
 * Finds a program in the folders of a grant's `PATH`. Returns undefined if the program is visible in the
 * sandbox or missing on the host too.
 */
export function findMissingProgram(
  name: string,
  { read, write, environment }: Grant,
  shown: ProgramFolders['shown'] = [],
): MissingProgram | undefined {
  const visible = [
    ...systemFolders,
    ...shown,
    ...[...read, ...write].flatMap((path) => findRealPath(path) ?? []),
  ];
  const found = (environment['PATH'] ?? '')
    .split(':')
    .filter(isAbsolute)
    .flatMap((folder) => programAt(join(folder, name)) ?? []);
  const [program] = found;
  return program === undefined || found.some((path) => isInAny(visible, path))
    ? undefined
    : { name, folder: dirname(program) };
}

function programAt(path: string): string | undefined {
  const real = findRealPath(path);
  const stats = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0 ? real : undefined;
}

/** Creates the error for a command whose program is not visible. */
export function notVisible({ name, folder }: MissingProgram): AgentError {
  return new AgentError('usage.not-found', `The program "${name}" is not visible in the sandbox.`, {
    hint: `It is in ${folder}. ${howToGrant}`,
    details: { program: name, folder },
  });
}

const howToGrant = 'To grant this folder, add it to skills.entries.<name>.read in your settings.';
// The exit codes of shells and of env for a program that they cannot find or start.
const notStartedCodes = [126, 127];
const notFound = /not found|no such file|ENOENT/i;
const maxNames = 200;

/**
 * Adds a line to the stderr of a failed command for each program that it mentions and that the sandbox does not
 * show. Looks only for programs in the folders of `PATH`, so that a command learns nothing else about the host.
 */
export function explainMissing<Result extends ProcessResult>(
  result: Result,
  grant: Grant,
  programs: () => Pick<ProgramFolders, 'shown'>,
): Result {
  const { exitCode, stderr } = result;
  const failed = exitCode !== null && exitCode !== 0;
  if (!failed || !(notStartedCodes.includes(exitCode) || notFound.test(stderr))) return result;
  const names = new Set((stderr.match(/[\w.+@/-]+/g) ?? []).slice(-maxNames).map((text) => basename(text)));
  const { shown } = programs();
  const missing = [...names]
    .filter((name) => /\w/.test(name))
    .flatMap((name) => findMissingProgram(name.replace(/[.:]+$/, ''), grant, shown) ?? []);
  if (missing.length === 0) return result;
  const lines = missing.map(
    ({ name, folder }) =>
      `skilled: "${name}" is in ${folder}, which is not visible in the sandbox. ${howToGrant}\n`,
  );
  return {
    ...result,
    stderr: `${stderr}${stderr === '' || stderr.endsWith('\n') ? '' : '\n'}${lines.join('')}`,
  };
}
