import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import {
  AgentError,
  crashReason,
  createRedactor,
  optional,
  reasonOf,
  settlesWithin,
  type CommandResult,
  type LiveProcess,
  type Sandbox,
} from '../core/index.ts';
import type { Channel, LastWords, StdioPlace } from './channel.ts';
import { findProgram } from './find-program.ts';
import { brokenAnswer, createMessageLines, idOfAnswer, idOfNonsense, type Line } from './messages.ts';

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

const most = 1000; // characters

/** What a process left behind, short and without anything that looks like a secret. */
export function readLastWords(result: CommandResult | undefined, noise: string | undefined): LastWords {
  if (result === undefined && noise === undefined) return {};
  const redact = createRedactor([]);
  const said = redact(result?.stderr.slice(-20 * most) ?? '');
  const [reason, stderr] = [crashReason(said), withoutFrames(said).trim().slice(-most)];
  return {
    ...optional('end', result && { exitCode: result.exitCode, ...optional('over', result.over) }),
    ...optional('reason', reason === '' ? undefined : reason),
    ...optional('stderr', stderr === '' ? undefined : stderr),
    ...optional('noise', noise === undefined ? undefined : redact(noise)),
  };
}

/** Without stack frames, which can be so long that nothing else would be left of the end. */
function withoutFrames(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => !/^\s+at \S/.test(line));
  return lines.join('\n');
}

/** A server that runs, and the sandbox that is its own. */
interface StartedServer {
  readonly sandbox: Sandbox;
  readonly live: LiveProcess;
}

/** Starts a server in a sandbox of its own. */
async function startServer(place: StdioPlace): Promise<StartedServer> {
  const { program, words, read } = findProgram(place);
  const sandbox = await place.openSandbox(read);
  try {
    const live = await sandbox.start({ program, arguments: words, ...optional('folder', place.folder) });
    return { sandbox, live };
  } catch (thrown) {
    await sandbox.close();
    throw thrown;
  }
}

const graceMs = 700; // with the half second of the sandbox it is gone within two

/** Ends a server: its stdin ends, and if that is not enough it is asked to end, and then killed. */
async function endServer({ sandbox, live }: StartedServer): Promise<CommandResult> {
  live.hold(true); // until it is gone
  live.end();
  await endedWithin(live, graceMs);
  await live.kill();
  await sandbox.close();
  return live.ended;
}

/** What a process came to, if it ends within so many milliseconds. */
async function endedWithin(live: LiveProcess, milliseconds: number): Promise<CommandResult | undefined> {
  return (await settlesWithin(milliseconds, live.ended)) ? await live.ended : undefined;
}
