import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/** Says whether a child and its streams keep this process alive. */
export function holdHost(child: ChildProcess, holds: boolean): void {
  const streams = child.stdio as readonly (Socket | null | undefined)[];
  const open = streams.filter((stream) => stream?.destroyed === false);
  for (const each of [child, ...open]) each?.[holds ? 'ref' : 'unref']();
}
