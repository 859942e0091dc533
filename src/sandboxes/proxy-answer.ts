import { isAgentError } from '../core/error.ts';

/** What a proxy says instead of an answer. */
export interface ProxyAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why a connection was refused or failed, for whoever asked for it; pure. */
export function proxyAnswer(thrown: unknown): ProxyAnswer {
  const [status, reason] = statusOf(thrown);
  const words = isAgentError(thrown) ? [thrown.message, thrown.hint] : ['The connection failed.'];
  const body = `${words.filter(Boolean).join(' ')}\n`;
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return { status, reason, headers, body };
}

function statusOf(thrown: unknown): readonly [number, string] {
  if (!isAgentError(thrown)) return [502, 'Bad Gateway'];
  if (thrown.code === 'policy.denied') return [403, 'Host not granted'];
  if (thrown.code === 'limit.calls') return [503, 'Too many connections'];
  return thrown.code === 'usage.bad-input' ? [400, 'Bad Request'] : [502, 'Bad Gateway'];
}
