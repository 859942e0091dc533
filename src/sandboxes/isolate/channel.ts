import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { areTexts } from '../process/output.ts';
import { failureKinds, readLines, type FromIsolate, type ToIsolate } from './protocol.ts';

/** Who hears what such a process says. */
interface Attendant {
  /** Characters of a message; a longer one ends the process. */
  readonly most: number;
  onMessage(message: FromIsolate): void;
  /** It ended, or said what makes no sense and was ended. */
  onLost(): void;
}

/** A process that runs snippets, as its host sees it. It keeps the host alive only while it is attended to. */
export interface IsolateProcess {
  isAlive(): boolean;
  send(message: ToIsolate): void;
  /** One at a time, until the returned function is called. */
  attend(attendant: Attendant): () => void;
  /** Kills it with all that it started; resolves when it has ended. */
  end(): Promise<void>;
}

/** Talks with a process, the first of a group of its own, through its standard input and output. */
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
    stdout.destroy(); // whoever left the group is not listened to
    attendant?.onLost();
  };
  const closed = once(child, 'close').catch(() => undefined); // what was never started has nothing to close
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
    attend(next) {
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
  if (id === undefined) return; // it was never started
  try {
    process.kill(-id, 'SIGKILL');
  } catch {
    // nobody is left
  }
}

/** A line of the process that runs snippets, believed in nothing: undefined for all that it does not say. */
function readMessage(line: string): FromIsolate | undefined {
  try {
    const said: unknown = JSON.parse(line);
    return isJsonObject(said) && isMessage(said) ? (said as unknown as FromIsolate) : undefined;
  } catch {
    return undefined; // not even JSON
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
