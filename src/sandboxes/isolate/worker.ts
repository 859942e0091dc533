import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Ivm from 'isolated-vm';
import { reasonLine } from '../../core/crash-reason.ts';
import { runInIsolate, type RunningSnippet } from './run-snippet.ts';
import { readLines, type FromIsolate, type ToIsolate } from './protocol.ts';

// The process that runs snippets, one at a time. It ends when its host ends, because that closes the
// channel.
const end = (): void => void process.kill(process.pid, 'SIGKILL');
process.stdin.on('end', end).on('error', end);

const say = (message: FromIsolate): void => writeFileSync(1, `${JSON.stringify(message)}\n`);
let running: RunningSnippet | undefined;

try {
  const ivm = createRequire(import.meta.url)(process.argv[2] ?? '') as typeof Ivm;
  const hear = (line: string): void => {
    const order = JSON.parse(line) as ToIsolate;
    if ('run' in order) running = runInIsolate(ivm, order.run, say, end);
    else running?.answer(order.answer, order.text, order.isFault);
  };
  readLines(process.stdin, () => Infinity, hear);
  say({ ready: true });
} catch (thrown) {
  say({ unavailable: reasonLine(thrown) });
  end();
}
