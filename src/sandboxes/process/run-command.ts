import { PassThrough } from 'node:stream';
import {
  AgentError,
  onAbort,
  type Command,
  type CommandResult,
  type Conversation,
  type LiveProcess,
  type ProcessListener,
} from '../../core/index.ts';
import { createKeptOutput, mostOutput } from './output.ts';
import { exitWithin, isHeard, withinGrace, type ProcessGroup, type SettledChanges } from './process-group.ts';

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
  using _listener = onAbort(signal, stop);
  if (signal.aborted) stop();
  const exit = await exitWithin(group, timeoutMs);
  await withinGrace(group.closed); // what still writes although its shell has ended may finish
  await group.end();
  await withinGrace(group.closed);
  group.release();
  const changes = await changesOf(group);
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

/** A group as a process to talk with: its output is read as it comes, so that only stderr is left for its result. */
export function attendProcess(group: ProcessGroup, { stdin, timeoutMs }: Command): LiveProcess {
  const stderr = createKeptOutput(mostOutput);
  group.stderr.on('data', stderr.add);
  const heard = isHeard(group.stderr);
  if (stdin !== undefined) group.stdin?.write(stdin);
  const output = group.stdout.pipe(new PassThrough()); // by itself Node throws away what is unread at the exit
  const finish = async (): Promise<CommandResult> => {
    const exit = await exitWithin(group, timeoutMs);
    await group.end();
    await withinGrace(heard); // an exit can be known before what was said last
    return {
      ...exit,
      ...overLimit(group),
      ...(await changesOf(group)),
      stdout: '',
      stderr: stderr.text(),
      ...(stderr.isCut() ? { cut: true } : {}),
    };
  };
  const ended = finish();
  return {
    output,
    ended,
    hold: group.hold,
    end: () => void group.stdin?.end(),
    write: (bytes) =>
      new Promise((resolve, reject) => {
        group.stdin?.write(bytes, (fault) => {
          if (fault == null) resolve();
          else
            reject(new AgentError('skill.failed', 'The process reads nothing any more.', { cause: fault }));
        });
      }),
    async kill() {
      await group.end();
      await ended;
      group.release();
      output.end();
    },
  };
}

const mostUnread = 64 * 2 ** 20; // bytes

/** A group with a channel as a process to talk with; what it printed is heard before it has ended. */
export function converse(
  group: ProcessGroup,
  { timeoutMs }: Command,
  { onMessage, onStdout, onStderr, onClosed }: ProcessListener,
): Conversation {
  const { stdout, stderr, channel } = group;
  if (channel === null) throw new Error('a conversation without a channel');
  stdout.on('data', onStdout);
  stderr.on('data', onStderr);
  channel.on('data', onMessage);
  channel.on('error', () => undefined); // the other end is gone; `close` follows
  channel.on('end', () => channel.destroy()).on('close', onClosed);
  const heard = Promise.all([stdout, stderr].map(isHeard));
  const finish = async (): Promise<CommandResult> => {
    const exit = await exitWithin(group, timeoutMs);
    await group.end();
    await withinGrace(heard);
    group.release();
    channel.destroy();
    return { ...exit, ...overLimit(group), ...(await changesOf(group)), stdout: '', stderr: '' };
  };
  const ended = finish();
  return {
    ended,
    hold: group.hold,
    send(text) {
      if (channel.destroyed) return;
      channel.write(text);
      if (channel.writableLength > mostUnread) channel.destroy();
    },
    async kill() {
      await group.end();
      await ended;
    },
  };
}

/** What the result of a group says when it was killed for a limit, whether its command had ended by then or not. */
function overLimit(group: ProcessGroup): Partial<Pick<CommandResult, 'exitCode' | 'over'>> {
  const over = group.over?.();
  return over === undefined ? {} : { exitCode: null, over };
}

/** The changes of a group that its result names. */
async function changesOf(group: ProcessGroup): Promise<SettledChanges> {
  const { rejected = [], changedPrograms = [] } = (await group.settle?.()) ?? {};
  return {
    ...(rejected.length === 0 ? {} : { rejected }),
    ...(changedPrograms.length === 0 ? {} : { changedPrograms }),
  };
}
