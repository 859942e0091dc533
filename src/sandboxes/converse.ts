import type { Command, CommandResult, Conversation, ProcessListener } from '../core/sandbox.ts';
import { exitWithin } from './exit-within.ts';
import { isHeard } from './is-heard.ts';
import { overLimit, changesOf } from './over-limit.ts';
import type { ProcessGroup } from './process-group.ts';
import { withinGrace } from './within-grace.ts';

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
