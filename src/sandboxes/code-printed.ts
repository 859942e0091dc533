import { setImmediate as turn } from 'node:timers/promises';
import type { CodeListener } from './code-channel.ts';
import { mostPrinted } from './code-limits.ts';
import { createKeptTail } from './kept-tail.ts';

/** What a call writes to stdout and stderr. */
export interface Printed {
  readonly listener: Pick<CodeListener, 'onStdout' | 'onStderr'>;
  /** Waits for what had been written when its result came, which takes another way. */
  settle(): Promise<void>;
  stdout(): string;
  stderr(): string;
}

const mostTurns = 50; // of somebody who does not stop

/** Keeps the end of both. */
export function hearPrinted(): Printed {
  const [stdout, stderr] = [createKeptTail(mostPrinted), createKeptTail(mostPrinted)];
  let pieces = 0;
  return {
    listener: {
      onStdout(bytes) {
        pieces += 1;
        stdout.add(bytes);
      },
      onStderr(bytes) {
        pieces += 1;
        stderr.add(bytes);
      },
    },
    async settle() {
      for (let turns = 0, before = -1; before !== pieces && turns < mostTurns; turns += 1) {
        before = pieces;
        await turn(); // in which everything that is there is read
      }
    },
    stdout: stdout.text,
    stderr: stderr.text,
  };
}
