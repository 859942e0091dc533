import { PassThrough } from 'node:stream';
import { AgentError } from '../core/error.ts';
import type { Command, CommandResult, LiveProcess } from '../core/sandbox.ts';
import { exitWithin } from './exit-within.ts';
import { createKeptOutput, mostOutput } from './kept-output.ts';
import { overLimit } from './over-limit.ts';
import type { ProcessGroup } from './process-group.ts';

/** A group as a process to talk with: its output is read as it comes, so that only stderr is left for its result. */
export function attendProcess(group: ProcessGroup, { stdin, timeoutMs }: Command): LiveProcess {
  const stderr = createKeptOutput(mostOutput);
  group.stderr.on('data', stderr.add);
  if (stdin !== undefined) group.stdin?.write(stdin);
  const output = group.stdout.pipe(new PassThrough()); // by itself Node throws away what is unread at the exit
  const finish = async (): Promise<CommandResult> => {
    const exit = await exitWithin(group, timeoutMs);
    await group.end();
    return {
      ...exit,
      ...overLimit(group),
      stdout: '',
      stderr: stderr.text(),
      ...(stderr.isCut() ? { cut: true } : {}),
    };
  };
  const ended = finish();
  return {
    output,
    ended,
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
