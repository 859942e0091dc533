import { taken } from './taken.ts';

const channel = 3;
const cell = new Int32Array(new SharedArrayBuffer(4));

/** Says a line to the host, and returns when it has been taken; without a host there is nothing left to do. */
export function say(line: string): void {
  const bytes = taken.bytes(`${line}\n`);
  try {
    for (let at = 0; at < bytes.length; at += put(bytes, at));
  } catch {
    taken.end(); // the channel is gone
  }
}

function put(bytes: Uint8Array, at: number): number {
  try {
    return taken.write(channel, bytes, at);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') throw thrown;
    taken.sleep(cell, 0, 0, 0.2); // the host reads
    return 0;
  }
}
