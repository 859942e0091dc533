import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AgentError, reasonOf } from '../../core/index.ts';
import type { Invocation } from '../command.ts';
import { shellWord } from '../output/command-text.ts';

/**
 * Returns a flag's value as a non-negative number, which may be fractional, or undefined if the flag is
 * absent.
 */
export function amount(own: Invocation['own'], flag: string): number | undefined {
  const value = own[flag];
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d*\.?\d+$/.test(value) ? Number(value) : NaN;
  if (Number.isFinite(number)) return number;
  throw new AgentError('usage.bad-input', `--${flag} must be a number of at least 0, not "${value}".`, {
    hint: `For example: --${flag} 0.50`,
  });
}

/**
 * Returns a flag's value as a whole number, or undefined if the flag is absent. Throws `usage.bad-input` if
 * the value is not a whole number.
 */
export function wholeNumber(own: Invocation['own'], flag: string, least = 0): number | undefined {
  const value = own[flag];
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new AgentError(
    'usage.bad-input',
    `--${flag} must be a whole number of at least ${least}, not "${value}".`,
    {
      hint: `For example: --${flag} 100`,
    },
  );
}

/** Returns a flag's value as a string, or undefined if the flag is absent. */
export function textFlag(own: Invocation['own'], flag: string): string | undefined {
  const value = own[flag];
  return typeof value === 'string' ? value : undefined;
}

/** Throws `usage.not-found` unless the path is a folder. */
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
        hint: `Use its folder: ${flag} ${shellWord(dirname(path))}`,
      };
    const make = `mkdir -p ${shellWord(path)}`;
    return {
      message: `Folder not found: ${path}.`,
      hint: `Choose another with ${flag}, or create it: ${make}`,
    };
  } catch (thrown) {
    const message = `Cannot read the folder ${path}: ${reasonOf(thrown)}.`;
    return { message, hint: `Choose a readable folder with ${flag}.` };
  }
}

/** Throws `usage.bad-input` for `--stream` without `--json`, which has no effect. */
export function mustStream({ flags, own }: Invocation): void {
  if (own['stream'] !== true || flags.json) return;
  throw new AgentError('usage.bad-input', '--stream needs --json.', { hint: 'Add --json.' });
}
