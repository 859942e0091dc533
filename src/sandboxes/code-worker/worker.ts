// The process that calls skill functions, one at a time. It ends when its host ends, because that closes
// the channel.
import { Socket } from 'node:net';
import type { ToWorker } from '../code/protocol.ts';
import { createLeftovers } from './leftovers.ts';
import { runCall, type RunningCall } from './run-call.ts';
import { say } from './host.ts';
import { taken } from './primordials.ts';

const leftovers = createLeftovers();
let running: RunningCall | undefined;
let rest = '';

process.setUncaughtExceptionCaptureCallback((thrown) => {
  running?.break(thrown);
  taken.end();
});

// Make output synchronous, so that all output is written before the call is reported and none is lost when
// the process ends.
for (const stream of [process.stdout, process.stderr])
  (
    stream as unknown as { readonly _handle?: { setBlocking?(blocks: boolean): void } }
  )._handle?.setBlocking?.(true);

const channel = new Socket({ fd: 3, readable: true, writable: false });
channel.setEncoding('utf8');
channel.on('end', taken.end).on('error', taken.end);
channel.on('data', (piece: string) => {
  let from = 0;
  for (let end = taken.indexOf(piece, '\n'); end >= 0; end = taken.indexOf(piece, '\n', from)) {
    const line = rest + taken.slice(piece, from, end);
    rest = '';
    from = end + 1;
    obey(taken.parse(line) as ToWorker);
  }
  rest += taken.slice(piece, from);
});
say('["ready"]');

function obey(order: ToWorker): void {
  if (order[0] === 'run') running = runCall(order, leftovers);
  else if (order[0] === 'go') running?.go();
  else if (order[0] === 'answer') running?.answer(order[1], order[2]);
  else if (order[0] === 'refuse') running?.refuse(order[1], order[2], order[3]);
  else running?.abort(order[2]);
}
