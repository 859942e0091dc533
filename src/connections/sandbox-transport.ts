import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { AgentError, reasonOf } from '../core/error.ts';
import type { CommandResult } from '../core/sandbox.ts';
import { brokenAnswer, idOfAnswer, idOfNonsense } from './broken-answer.ts';
import type { Channel, StdioPlace } from './channel.ts';
import { readLastWords } from './last-words.ts';
import { createMessageLines, type Line } from './message-lines.ts';
import { endedWithin, endServer, startServer, type StartedServer } from './started-server.ts';

/** A server that is started in a sandbox and talked with on its stdin and stdout, a message a line. */
export async function openSandboxTransport(place: StdioPlace): Promise<Channel> {
  const { deserializeMessage, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  let starting: Promise<StartedServer> | undefined;
  let closing: Promise<void> | undefined;
  let ended: CommandResult | undefined;
  let noise: string | undefined;
  let isOver = false;

  const over = (): void => {
    if (isOver) return;
    isOver = true;
    transport.onclose?.();
  };
  const messageIn = (line: Line): JSONRPCMessage | undefined => {
    if ('start' in line) {
      const id = idOfAnswer(line.start, line.end);
      if (id === undefined) void close(); // nobody can be told that it is their answer
      return id === undefined ? undefined : brokenAnswer(id, 'too-long');
    }
    try {
      return deserializeMessage(line.text);
    } catch (thrown) {
      transport.onerror?.(new Error(reasonOf(thrown)));
      const id = idOfNonsense(line.text);
      if (id !== undefined) return brokenAnswer(id, 'nonsense');
      noise ??= line.text.slice(0, 200);
      return undefined;
    }
  };
  const listen = async ({ live }: StartedServer): Promise<void> => {
    const cut = createMessageLines();
    try {
      for await (const bytes of live.output) {
        for (const message of cut(bytes).map(messageIn)) {
          if (message === undefined) continue;
          transport.onmessage?.(message);
          if (!('id' in message)) await nextTurn(); // the library hears an answer before the news that came ahead of it
        }
      }
    } finally {
      ended = await endedWithin(live, 200);
      over();
      void close(); // with what it left running
    }
  };
  const close = (): Promise<void> => {
    closing ??= (async () => {
      over();
      const started = await starting?.catch(() => undefined); // whoever started it was told
      if (started !== undefined) ended = await endServer(started);
    })().catch((thrown: unknown) => transport.onerror?.(new Error(reasonOf(thrown))));
    return closing;
  };
  const mustBeOpen = (): void => {
    if (closing === undefined) return;
    throw new AgentError('server.unreachable', `The server "${place.name}" was closed.`);
  };

  const transport: Transport = {
    async start() {
      mustBeOpen(); // else nobody would end it
      starting = startServer(place);
      const started = await starting;
      mustBeOpen();
      void listen(started).catch((thrown: unknown) => transport.onerror?.(new Error(reasonOf(thrown))));
    },
    async send(message) {
      const started = await starting;
      try {
        await started?.live.write(Buffer.from(`${JSON.stringify(message)}\n`));
      } catch (thrown) {
        void close();
        throw new SdkError(SdkErrorCode.SendFailed, reasonOf(thrown));
      }
    },
    close,
  };
  return {
    transport,
    hold: (holds) => void starting?.then(({ live }) => live.hold(holds)).catch(() => undefined), // it never came to be
    tokens: () => [],
    async lastWords() {
      const started = isOver ? await starting?.catch(() => undefined) : undefined; // that it did not start was said
      ended ??= started === undefined ? undefined : await endedWithin(started.live, 500);
      return readLastWords(ended, noise);
    },
    close,
  };
}
