import type { Command, CommandResult } from '../core/sandbox.ts';
import { exitWithin } from './exit-within.ts';
import { createKeptOutput, mostOutput } from './kept-output.ts';
import { overLimit, changesOf } from './over-limit.ts';
import type { ProcessGroup } from './process-group.ts';
import { withinGrace } from './within-grace.ts';

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
  await withinGrace(group.closed); // what still writes although its shell has ended may finish
  await group.end();
  await withinGrace(group.closed);
  group.release();
  const changes = await changesOf(group);
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  return {
    ...exit,
    ...overLimit(group),
    ...changes,
    stdout: stdout.text(),
    stderr: stderr.text(),
    ...(stdout.isCut() || stderr.isCut() ? { cut: true } : {}),
  };
}
