import type { Duplex } from 'node:stream';
import { AgentError } from '../core/error.ts';
import type { Dial } from './network-dial.ts';
import { proxyAnswer } from './proxy-answer.ts';
import { joinSockets } from './proxy-join.ts';

/** Answers `CONNECT host:port`: from then on bytes go to and fro untouched. Never throws. */
export async function tunnel(target: string, client: Duplex, first: Buffer, dial: Dial): Promise<void> {
  client.on('error', () => client.destroy()); // who asked has gone
  try {
    const [, host, port] = /^(.+):(\d{1,5})$/.exec(target) ?? [];
    if (host === undefined) throw new AgentError('usage.bad-input', 'CONNECT needs a host and a port.');
    const server = await dial(host.replace(/^\[(.*)\]$/, '$1'), Number(port));
    if (client.destroyed) return void server.destroy();
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    server.write(first);
    joinSockets(client, server);
  } catch (thrown) {
    const { status, reason, headers, body } = proxyAnswer(thrown);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    client.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`);
  }
}
