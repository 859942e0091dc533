import { setTimeout as wait } from 'node:timers/promises';
import type { ServerPlace } from '../core/servers/tool-server.ts';
import { connect, type Connection } from './connect.ts';

const pauses = [200, 800, 2000]; // milliseconds

/** Connects with a server, and tries again where what went wrong may pass; throws why it came to nothing, or the signal's reason. */
export async function connectPatiently(place: ServerPlace, signal: AbortSignal): Promise<Connection> {
  for (let tried = 0; ; tried++) {
    const attempt = await connect(place, signal);
    if (!('fault' in attempt)) return attempt;
    const pause = pauses[tried];
    if (tried >= attempt.retries || pause === undefined) throw attempt.fault;
    await wait(pause, undefined, { signal }).catch(() => undefined); // the signal is asked next
    signal.throwIfAborted();
  }
}
