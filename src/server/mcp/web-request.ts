import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A request of Node as one of the web; its signal is aborted when the client goes away before it is answered. */
export function webRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort(new Error('The client went away.'));
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  const { method = 'GET' } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request('http://localhost/mcp', {
    ...{ method, headers, signal: gone.signal },
    ...(hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' as const } : {}),
  });
}

/** Sends a response of the web, piece by piece; rejects when the client goes away. */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders(); // a stream may say nothing for long
  await pipeline(Readable.fromWeb(response.body), outgoing);
}
