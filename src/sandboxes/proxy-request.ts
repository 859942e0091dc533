import {
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { AgentError } from '../core/error.ts';
import type { Dial } from './network-dial.ts';
import { proxyAnswer } from './proxy-answer.ts';

/** Answers `GET http://host/path`: asks that host the same, on a connection of its own. Never throws. */
export async function passOn(asked: IncomingMessage, answer: ServerResponse, dial: Dial): Promise<void> {
  try {
    const url = targetOf(asked);
    const server = await dial(url.hostname.replace(/^\[(.*)\]$/, '$1'), Number(url.port || '80'));
    if (answer.destroyed) return void server.destroy(); // who asked has gone
    const { method = 'GET' } = asked;
    const headers = { ...ownHeaders(asked.headers), host: url.host };
    const passed = send({
      method,
      path: `${url.pathname}${url.search}`,
      headers,
      createConnection: () => server,
    });
    passed.on('response', (got) => {
      answer.writeHead(got.statusCode ?? 502, ownHeaders(got.headers));
      pipeline(got, answer, () => undefined); // one that breaks off breaks the other off
    });
    passed.on('error', (thrown) => refuse(answer, thrown));
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  } catch (thrown) {
    refuse(answer, thrown);
  }
}

function targetOf({ url = '' }: IncomingMessage): URL {
  const target = URL.parse(url);
  if (target?.protocol === 'http:') return target;
  throw new AgentError('usage.bad-input', 'This is a proxy: it takes http:// addresses and CONNECT.');
}

function refuse(answer: ServerResponse, thrown: unknown): void {
  if (answer.headersSent) return void answer.destroy();
  const { status, reason, headers, body } = proxyAnswer(thrown);
  answer.writeHead(status, reason, headers).end(body);
}

// What concerns one connection and not the message, besides what the header `connection` names.
const hops = ['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate'];
const moreHops = ['expect', 'te', 'trailer', 'upgrade', 'http2-settings'];

function ownHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  const left = new Set([...hops, ...moreHops, ...named.map((name) => name.trim())]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !left.has(name)));
}
