import { setTimeout as wait } from 'node:timers/promises';
import type { Command, CommandResult } from '../core/sandbox.ts';
import { exitWithin } from './exit-within.ts';
import { createKeptOutput, mostOutput } from './kept-output.ts';
import { overLimit } from './over-limit.ts';
import { graceMs, type ProcessGroup } from './process-group.ts';

/** Waits for the command of a group and ends what it leaves running; throws the signal's reason when that stopped it. */
export async function finishCommand(
  group: ProcessGroup,
  { stdin, timeoutMs }: Command,
  signal: AbortSignal,
): Promise<CommandResult> {
  const stdout = createKeptOutput(mostOutput);
  const stderr = createKeptOutput(mostOutput);
  group.stdout.on('data', stdout.add);
  group.stderr.on('data', stderr.add);
  group.stdin?.end(stdin);
  const stop = (): void => void group.end();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  const exit = await exitWithin(group, timeoutMs);
  await within(group.closed); // what still writes although its shell has ended may finish
  await group.end();
  await within(group.closed);
  group.release();
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  return {
    ...exit,
    ...overLimit(group),
    stdout: stdout.text(),
    stderr: stderr.text(),
    ...(stdout.isCut() || stderr.isCut() ? { cut: true } : {}),
  };
}

/** Resolves when something has happened, or after the grace. */
async function within(happened: Promise<void>): Promise<void> {
  const over = new AbortController();
  await Promise.race([happened, wait(graceMs, undefined, over).catch(() => undefined)]);
  over.abort();
}
