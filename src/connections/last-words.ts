import { optional } from '../core/optional.ts';
import { createRedactor } from '../core/redact.ts';
import type { CommandResult } from '../core/sandbox.ts';
import type { LastWords } from './channel.ts';

const most = 1000; // characters

/** What a process left behind, short and without anything that looks like a secret. */
export function readLastWords(result: CommandResult | undefined, noise: string | undefined): LastWords {
  if (result === undefined && noise === undefined) return {};
  const redact = createRedactor([]);
  const stderr = withoutFrames(result?.stderr.slice(-20 * most) ?? '').trim();
  return {
    ...optional('end', result && { exitCode: result.exitCode, ...optional('over', result.over) }),
    ...optional('stderr', stderr === '' ? undefined : redact(stderr).slice(-most)),
    ...optional('noise', noise === undefined ? undefined : redact(noise)),
  };
}

/** A program that breaks prints where it was behind why, and so much of that that the reason would be cut off. */
function withoutFrames(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => !/^\s+at \S/.test(line));
  return lines.join('\n');
}
