import type { RequestOptions } from '@modelcontextprotocol/client';
import { optional } from '../core/collections.ts';
import type { ServerPlace, ToolRequest } from '../core/servers/tool-server.ts';

/** Makes a request as the library wants it: progress puts its end off, and a server is told that it was cancelled but not why. */
export async function withRequestOptions<Result>(
  { timeoutMs }: ServerPlace,
  { signal, onProgress }: ToolRequest,
  work: (options: RequestOptions) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const cancel = (): void => stop.abort('The request was cancelled.');
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await work({
      signal: stop.signal,
      timeout: timeoutMs,
      resetTimeoutOnProgress: true,
      onprogress({ progress, total, message }) {
        onProgress?.({ done: progress, ...optional('total', total), ...optional('message', message) });
      },
    });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
