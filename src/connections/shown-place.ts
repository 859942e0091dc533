import type { ServerPlace } from '../core/servers/tool-server.ts';
import { readNpx } from './npx-words.ts';

/** Where a server is, for people: the program or the address, without words, queries and names that could be secret. */
export function showPlace(place: ServerPlace): string {
  if (place.kind === 'http') {
    const { origin, pathname } = new URL(place.url);
    return `${origin}${pathname}`;
  }
  const npx = place.command === 'npx' ? readNpx(place.args) : undefined;
  return npx === undefined ? place.command : `npx ${npx.package}`;
}
