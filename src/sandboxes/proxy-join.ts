import type { Duplex } from 'node:stream';

/** Passes bytes between two connections in both directions; when one breaks, so does the other. */
export function joinSockets(one: Duplex, other: Duplex): void {
  const pairs: readonly (readonly [Duplex, Duplex])[] = [
    [one, other],
    [other, one],
  ];
  for (const [from, to] of pairs) {
    from.pipe(to); // one that only stops sending ends that direction, and may still read
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}
