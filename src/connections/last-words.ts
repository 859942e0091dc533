import { crashReason } from '../core/crash-reason.ts';
import { optional } from '../core/collections.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import type { CommandResult } from '../core/sandbox.ts';
import type { LastWords } from './channel.ts';

const most = 1000; // characters

/** What a process left behind, short and without anything that looks like a secret. */
export function readLastWords(result: CommandResult | undefined, noise: string | undefined): LastWords {
  if (result === undefined && noise === undefined) return {};
  const redact = createRedactor([]);
  const said = redact(result?.stderr.slice(-20 * most) ?? '');
  const [reason, stderr] = [crashReason(said), withoutFrames(said).trim().slice(-most)];
  return {
    ...optional('end', result && { exitCode: result.exitCode, ...optional('over', result.over) }),
    ...optional('reason', reason === '' ? undefined : reason),
    ...optional('stderr', stderr === '' ? undefined : stderr),
    ...optional('noise', noise === undefined ? undefined : redact(noise)),
  };
}

/** Without stack frames, which can be so long that nothing else would be left of the end. */
function withoutFrames(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => !/^\s+at \S/.test(line));
  return lines.join('\n');
}
