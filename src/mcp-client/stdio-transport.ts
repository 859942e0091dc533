import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import {
  AgentError,
  crashReason,
  createRedactor,
  endOf,
  optional,
  reasonOf,
  settlesWithin,
  type ProcessResult,
  type LiveProcess,
  type Sandbox,
} from '../core/index.ts';
import type { Channel, FailureDetails, StdioEndpoint } from './channel.ts';
import { findProgram } from './find-program.ts';
import { brokenAnswer, createMessageLines, idOfAnswer, idOfNonsense, type Line } from './messages.ts';

/** Starts a server in a sandbox and communicates with it over stdin and stdout. Each message is one line. */
export async function openSandboxTransport(endpoint: StdioEndpoint): Promise<Channel> {
  const { deserializeMessage, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  let starting: Promise<StartedServer> | undefined;
  let closing: Promise<void> | undefined;
  let ended: ProcessResult | undefined;
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
      // Without an id, an overlong response cannot be assigned to a request, so close the connection.
      if (id === undefined) void close();
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
          // Let the client library process this notification before the response that follows it.
          if (!('id' in message)) await nextTurn();
        }
      }
    } finally {
      ended = await endedWithin(live, 200);
      over();
      void close(); // Closing the connection also ends processes that the server left running.
    }
  };
  const close = (): Promise<void> => {
    closing ??= (async () => {
      over();
      const started = await starting?.catch(() => undefined); // The caller of `start` handles this error.
      if (started !== undefined) ended = await endServer(started);
    })().catch((thrown: unknown) => transport.onerror?.(new Error(reasonOf(thrown))));
    return closing;
  };
  const mustBeOpen = (): void => {
    if (closing === undefined) return;
    throw new AgentError('server.unreachable', `The server "${endpoint.name}" was closed.`, {
      hint: 'Try again; the next call starts it.',
    });
  };

  const transport: Transport = {
    async start() {
      mustBeOpen(); // Do not start a server after closing, because nothing would stop it.
      starting = startServer(endpoint);
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
    // Ignore a failed start, which has already been reported.
    hold: (holds) => void starting?.then(({ live }) => live.hold(holds)).catch(() => undefined),
    tokens: () => [],
    async failureDetails() {
      // Ignore a failed start here, too.
      const started = isOver ? await starting?.catch(() => undefined) : undefined;
      ended ??= started === undefined ? undefined : await endedWithin(started.live, 500);
      return readFailureDetails(ended, noise);
    },
    close,
  };
}

const most = 1000; // The maximum number of characters of stderr to include in a message.

/** Returns details about how a process ended and what it printed, without secrets. */
export function readFailureDetails(
  result: ProcessResult | undefined,
  noise: string | undefined,
): FailureDetails {
  if (result === undefined && noise === undefined) return {};
  const redact = createRedactor([]);
  const said = redact(result?.stderr.slice(-20 * most) ?? '');
  const [reason, stderr] = [crashReason(said), endOf(withoutFrames(said).trim(), most)];
  return {
    ...optional('end', result && { exitCode: result.exitCode, ...optional('over', result.over) }),
    ...optional('reason', reason === '' ? undefined : reason),
    ...optional('stderr', stderr === '' ? undefined : stderr),
    ...optional('noise', noise === undefined ? undefined : redact(noise)),
  };
}

/** Removes stack frames, which could otherwise fill all of the available space. */
function withoutFrames(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => !/^\s+at \S/.test(line));
  return lines.join('\n');
}

/** A running server and its sandbox. */
interface StartedServer {
  readonly sandbox: Sandbox;
  readonly live: LiveProcess;
}

/** Starts a server in its own sandbox. */
async function startServer(endpoint: StdioEndpoint): Promise<StartedServer> {
  const { program, args, read } = findProgram(endpoint);
  const sandbox = await endpoint.openSandbox(read);
  try {
    const live = await sandbox.start({ program, arguments: args, ...optional('folder', endpoint.folder) });
    return { sandbox, live };
  } catch (thrown) {
    await sandbox.close();
    throw thrown;
  }
}

// The time that a server has to exit by itself, in milliseconds. The sandbox adds half a second.
const graceMs = 700;

/** Stops a server: closes its stdin, then asks it to exit, and finally kills it. */
async function endServer({ sandbox, live }: StartedServer): Promise<ProcessResult> {
  live.hold(true); // Keep this process alive until the server has exited.
  live.end();
  await endedWithin(live, graceMs);
  await live.kill();
  await sandbox.close();
  return live.ended;
}

/**
 * Waits for a process to exit. Resolves to undefined if the process is still running after this number of
 * milliseconds.
 */
async function endedWithin(live: LiveProcess, milliseconds: number): Promise<ProcessResult | undefined> {
  return (await settlesWithin(milliseconds, live.ended)) ? await live.ended : undefined;
}
