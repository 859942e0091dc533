import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AgentError, reasonOf } from '../../core/index.ts';
import type { Invocation } from '../command.ts';
import { shellWord } from '../output/command-text.ts';

/** The value of a flag as a number from 0 up, fractions included; undefined when it is not given. */
export function amount(own: Invocation['own'], flag: string): number | undefined {
  const value = own[flag];
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d*\.?\d+$/.test(value) ? Number(value) : NaN;
  if (Number.isFinite(number)) return number;
  throw new AgentError('usage.bad-input', `--${flag} is not a number from 0 up: "${value}".`, {
    hint: `Write it in digits, as in --${flag} 0.50.`,
  });
}

/** The value of a flag as a whole number; undefined when it is not given, `usage.bad-input` when it is anything else. */
export function wholeNumber(own: Invocation['own'], flag: string, least = 0): number | undefined {
  const value = own[flag];
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new AgentError('usage.bad-input', `--${flag} is not a whole number from ${least} up: "${value}".`, {
    hint: `Write it in digits alone, as in --${flag} 100.`,
  });
}

/** The text behind a flag; undefined when it is not given. */
export function textFlag(own: Invocation['own'], flag: string): string | undefined {
  const value = own[flag];
  return typeof value === 'string' ? value : undefined;
}

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

/** Throws `usage.bad-input` for `--stream` without `--json`, which would mean nothing. */
export function mustStream({ flags, own }: Invocation): void {
  if (own['stream'] !== true || flags.json) return;
  throw new AgentError('usage.bad-input', '--stream is a way of --json.', { hint: 'Add --json.' });
}
