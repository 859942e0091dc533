import type { Readable } from 'node:stream';

/** Resolves when nothing more comes from a stream; asked before its end. */
export async function isHeard(stream: Readable): Promise<void> {
  await new Promise((resolve) => stream.once('end', resolve).once('close', resolve));
}
