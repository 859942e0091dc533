import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { areTexts } from '../process/output.ts';
import { failureKinds, readLines, type FromIsolate, type ToIsolate } from './protocol.ts';

/** A receiver of messages from a snippet process. */
interface Attendant {
  /** The maximum number of characters in a message. If a message is longer, the process is ended. */
  readonly most: number;
  onMessage(message: FromIsolate): void;
  /** Called when the process has ended by itself, or was ended because of an invalid message. */
  onLost(): void;
}

/**
 * The host's side of a process that runs snippets. The host stays alive for the process only while there is a
 * listener.
 */
export interface IsolateProcess {
  isAlive(): boolean;
  send(message: ToIsolate): void;
  /** Sets the only listener. The returned function removes it. */
  listen(attendant: Attendant): () => void;
  /** Kills the process and all its children. Resolves when the process has ended. */
  end(): Promise<void>;
}

/** Opens a channel to a child process, through its stdin and stdout. The child must lead a process group. */
export function openChannel(child: ChildProcess): IsolateProcess {
  const { stdin, stdout } = child as ChildProcess & { stdin: Socket; stdout: Socket };
  const stderr = child.stderr as Socket | null;
  let attendant: Attendant | undefined;
  let isAlive = true;
  const lose = (): void => {
    if (!isAlive) return;
    isAlive = false;
    killGroup(child.pid);
    stdin.destroy();
    stdout.destroy(); // Discards output of processes that left the group.
    attendant?.onLost();
  };
  // No `close` event follows if the process fails to start.
  const closed = once(child, 'close').catch(() => undefined);
  child.on('error', lose).on('exit', lose);
  stdin.on('error', lose);
  stdout.on('close', lose);
  readLines(
    stdout,
    () => attendant?.most ?? 0,
    (line) => {
      const message = readMessage(line);
      if (message === undefined || attendant === undefined) lose();
      else if (isAlive) attendant.onMessage(message);
    },
  );
  const holdHost = (holds: boolean): void => {
    for (const each of [child, stdin, stdout, stderr]) each?.[holds ? 'ref' : 'unref']();
  };
  return {
    isAlive: () => isAlive,
    send: (message) => void stdin.write(`${JSON.stringify(message)}\n`),
    listen(next) {
      attendant = next;
      holdHost(true);
      if (!isAlive) next.onLost();
      return () => {
        attendant = undefined;
        holdHost(false);
      };
    },
    async end() {
      holdHost(true);
      lose();
      stderr?.destroy();
      await closed;
    },
  };
}

function killGroup(id: number | undefined): void {
  if (id === undefined) return; // The process was never started.
  try {
    process.kill(-id, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

/**
 * Parses a line from a snippet process. Returns undefined if the line is not a valid message.
 */
function readMessage(line: string): FromIsolate | undefined {
  try {
    const said: unknown = JSON.parse(line);
    return isJsonObject(said) && isMessage(said) ? (said as unknown as FromIsolate) : undefined;
  } catch {
    return undefined; // The line is not valid JSON.
  }
}

function isMessage(said: JsonObject): boolean {
  const { ready, unavailable, call, name, given, value, failed, log } = said;
  if (ready === true || typeof unavailable === 'string') return true;
  if (call !== undefined) return areTexts(name, given) && Number.isSafeInteger(call);
  return areTexts(log) && (failed === undefined ? areTexts(value) : isFailure(failed));
}

function isFailure(failed: unknown): boolean {
  if (!isJsonObject(failed)) return false;
  const { kind, message, line } = failed;
  const isKnown = failureKinds.some((known) => known === kind);
  return isKnown && areTexts(message ?? '') && Number.isSafeInteger(line ?? 0);
}
