import { PassThrough } from 'node:stream';
import {
  AgentError,
  onAbort,
  type ProcessCommand,
  type ProcessResult,
  type Conversation,
  type LiveProcess,
  type ProcessListener,
} from '../../core/index.ts';
import { createOutputBuffer, maxOutput } from './output.ts';
import {
  exitWithin,
  waitForEnd,
  withinGrace,
  type ProcessGroup,
  type SettledChanges,
} from './process-group.ts';

/**
 * Waits until a command ends, and then ends all processes that it left running. If the signal aborts the
 * command, ends it and throws the signal's reason.
 */
export async function finishCommand(
  group: ProcessGroup,
  { stdin, timeoutMs }: ProcessCommand,
  signal: AbortSignal,
): Promise<ProcessResult> {
  const stdout = createOutputBuffer(maxOutput);
  const stderr = createOutputBuffer(maxOutput);
  group.stdout.on('data', stdout.add);
  group.stderr.on('data', stderr.add);
  group.stdin?.end(stdin);
  const stop = (): void => void group.end();
  using _listener = onAbort(signal, stop);
  if (signal.aborted) stop();
  const exit = await exitWithin(group, timeoutMs);
  // Processes that outlive their shell get a short time to finish writing output.
  await withinGrace(group.closed);
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

/**
 * Creates a live process from a group. The caller reads stdout while the process runs, so the result contains
 * only stderr.
 */
export function createLiveProcess(group: ProcessGroup, { stdin, timeoutMs }: ProcessCommand): LiveProcess {
  const stderr = createOutputBuffer(maxOutput);
  group.stderr.on('data', stderr.add);
  const stderrEnd = waitForEnd(group.stderr);
  if (stdin !== undefined) group.stdin?.write(stdin);
  // Without this extra stream, Node discards unread output when the process exits.
  const output = group.stdout.pipe(new PassThrough());
  const finish = async (): Promise<ProcessResult> => {
    const exit = await exitWithin(group, timeoutMs);
    await group.end();
    await withinGrace(stderrEnd); // The last stderr output can arrive after the exit.
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
            reject(
              new AgentError('skill.failed', 'The process has stopped reading its input.', { cause: fault }),
            );
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

const maxUnread = 64 * 2 ** 20; // The maximum size of unread output in bytes.

/** Creates a conversation from a group with a channel. Delivers all output before the conversation ends. */
export function converse(
  group: ProcessGroup,
  { timeoutMs }: ProcessCommand,
  { onMessage, onStdout, onStderr, onClosed }: ProcessListener,
): Conversation {
  const { stdout, stderr, channel } = group;
  if (channel === null) throw new Error('a conversation without a channel');
  stdout.on('data', onStdout);
  stderr.on('data', onStderr);
  channel.on('data', onMessage);
  channel.on('error', () => undefined); // The process has ended, and `close` follows.
  channel.on('end', () => channel.destroy()).on('close', onClosed);
  const streamsEnd = Promise.all([stdout, stderr].map(waitForEnd));
  const finish = async (): Promise<ProcessResult> => {
    const exit = await exitWithin(group, timeoutMs);
    await group.end();
    await withinGrace(streamsEnd);
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
      if (channel.writableLength > maxUnread) channel.destroy();
    },
    async kill() {
      await group.end();
      await ended;
    },
  };
}

/**
 * Returns the result fields of a group that was killed because it exceeded a limit. The exit code is then
 * null, even if the command itself had already ended.
 */
function overLimit(group: ProcessGroup): Partial<Pick<ProcessResult, 'exitCode' | 'over'>> {
  const over = group.over?.();
  return over === undefined ? {} : { exitCode: null, over };
}

/** Settles a group's changes and returns the result fields that are not empty. */
async function changesOf(group: ProcessGroup): Promise<SettledChanges> {
  const { rejected = [], changedPrograms = [] } = (await group.settle?.()) ?? {};
  return {
    ...(rejected.length === 0 ? {} : { rejected }),
    ...(changedPrograms.length === 0 ? {} : { changedPrograms }),
  };
}
