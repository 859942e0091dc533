import { AgentError, deadline, reasonOf } from '../core/index.ts';
import { sourceLimits, refused } from './tree.ts';

const longest = 120_000; // The time limit for one download, in milliseconds.
const mostRedirects = 5;

/** A downloaded file, and the address that it came from after redirects. */
export interface Downloaded {
  readonly bytes: Buffer;
  readonly url: string;
}

/**
 * Downloads a file over https, or from this machine. Never sends headers to another origin, and never follows
 * a redirect to an unencrypted address. Returns undefined if the server says that the file does not exist.
 */
export async function download(
  url: string,
  {
    signal,
    most = sourceLimits.download,
    headers = {},
  }: {
    readonly signal?: AbortSignal | undefined;
    readonly most?: number;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Downloaded | undefined> {
  using limit = deadline(longest, undefined, signal);
  let at = new URL(url);
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    checkAddress(at);
    const isOrigin = at.origin === new URL(url).origin;
    const response: Response = await request(at, isOrigin ? headers : {}, limit.signal);
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      if (!URL.canParse(location, at.href)) throw unreachable(at, 'it redirects to an invalid address');
      at = new URL(location, at);
      continue;
    }
    if (response.status === 404 || response.status === 410) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw unreachable(at, `the server answered ${response.status}`);
    }
    return { bytes: await readBody(response, at, most), url: at.href };
  }
  throw unreachable(at, 'it redirects too often');
}

/** Whether an address is on this machine, so that it needs no encryption. */
function isLocal({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

function checkAddress(url: URL): void {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url))) return;
  throw new AgentError('source.unreachable', `${url.origin} does not use https.`, {
    hint: 'Skills are not fetched over unencrypted connections.',
  });
}

async function request(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(url.href, {
      redirect: 'manual',
      headers: { 'user-agent': 'skilled', ...headers },
      signal,
    });
  } catch (thrown) {
    throw unreachable(url, reasonOf(thrown), thrown);
  }
}

async function readBody(response: Response, url: URL, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > most) throw refused(`The file at ${url.href}`, `it has more than ${most} bytes`);
      chunks.push(chunk);
    }
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    throw unreachable(url, reasonOf(thrown), thrown);
  }
  return Buffer.concat(chunks);
}

function unreachable(url: URL, why: string, cause?: unknown): AgentError {
  return new AgentError('source.unreachable', `${url.origin}${url.pathname} cannot be downloaded: ${why}.`, {
    hint: 'Check the address and the connection.',
    cause,
  });
}
