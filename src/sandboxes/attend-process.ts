import { PassThrough } from 'node:stream';
import { AgentError } from '../core/error.ts';
import type { Command, CommandResult, LiveProcess } from '../core/sandbox.ts';
import { exitWithin } from './exit-within.ts';
import { isHeard } from './is-heard.ts';
import { createKeptOutput, mostOutput } from './kept-output.ts';
import { overLimit, changesOf } from './over-limit.ts';
import type { ProcessGroup } from './process-group.ts';
import { withinGrace } from './within-grace.ts';

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
