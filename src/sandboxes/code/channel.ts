import { StringDecoder } from 'node:string_decoder';
import { setImmediate as turn } from 'node:timers/promises';
import type { Command, CommandResult, Sandbox } from '../../core/index.ts';
import { createKeptTail } from '../process/output.ts';
import { withinGrace } from '../process/process-group.ts';
import { mostCharacters, mostPrinted, readCodeMessage, type FromWorker } from './protocol.ts';

/** What a call writes to stdout and stderr. */
export interface Printed {
  readonly listener: Pick<CodeListener, 'onStdout' | 'onStderr'>;
  /** Waits for what had been written when its result came, which takes another way. */
  settle(): Promise<void>;
  stdout(): string;
  stderr(): string;
}

const mostTurns = 50; // of somebody who does not stop

/** Keeps the end of both. */
export function hearPrinted(): Printed {
  const [stdout, stderr] = [createKeptTail(mostPrinted), createKeptTail(mostPrinted)];
  let pieces = 0;
  return {
    listener: {
      onStdout(bytes) {
        pieces += 1;
        stdout.add(bytes);
      },
      onStderr(bytes) {
        pieces += 1;
        stderr.add(bytes);
      },
    },
    async settle() {
      for (let turns = 0, before = -1; before !== pieces && turns < mostTurns; turns += 1) {
        before = pieces;
        await turn(); // in which everything that is there is read
      }
    },
    stdout: stdout.text,
    stderr: stderr.text,
  };
}

/** How a process was lost: it went by itself, made no sense, said too much at once, or was ended. */
export type Loss = 'went' | 'nonsense' | 'large' | 'ended';

/** Who hears a process while it works on a call. */
export interface CodeListener {
  /** With the characters that it came in. */
  onMessage(message: FromWorker, length: number): void;
  onStdout(bytes: Uint8Array): void;
  onStderr(bytes: Uint8Array): void;
  /** It is gone by then. */
  onLost(loss: Loss, result: CommandResult): void;
}

/** A process that calls functions of skills, as its host sees it. It keeps the host alive only while it is attended to. */
export interface CodeProcess {
  /** Whether it can be given another call. */
  isFit(): boolean;
  send(line: string): void;
  /** One at a time, until the returned function is called. */
  attend(listener: CodeListener): () => void;
  /** Says a last word to it, and ends it when it has had a moment for that, or says anything. */
  endAfter(line: string): void;
  /** Kills it with all that it started; resolves when it has ended and its sandbox is closed. */
  end(): Promise<void>;
  /** Resolves when it has ended, for whatever reason, and its sandbox is closed. */
  readonly gone: Promise<undefined>;
}

const momentMs = 100;

/** Starts a command in a sandbox, which ends with it, and talks with it; one that speaks while nobody attends is ended. */
export async function attendCode(sandbox: Sandbox, command: Command): Promise<CodeProcess> {
  let listener: CodeListener | undefined;
  let loss: Loss | undefined;
  let closing: Promise<CommandResult> | undefined;
  const gone = Promise.withResolvers<undefined>();

  const close = (): Promise<CommandResult> => (closing ??= finish());
  const finish = async (): Promise<CommandResult> => {
    await sandbox.close();
    const { ended, hold } = await coming;
    const result = await ended;
    hold(false);
    gone.resolve(undefined);
    listener?.onLost(loss ?? 'ended', result);
    return result;
  };
  const lose = async (how: Loss): Promise<void> => {
    if (loss !== undefined) return;
    loss = how;
    if (how === 'went') await withinGrace((await coming).ended); // its exit code tells why
    await close();
  };
  const hear = createLines(
    () => void lose('large'),
    (line) => {
      const message = loss === undefined ? readCodeMessage(line) : undefined;
      if (loss !== undefined) void close();
      else if (message === undefined || listener === undefined) void lose('nonsense');
      else listener.onMessage(message, line.length);
    },
  );
  const coming = sandbox.converse(command, {
    onMessage: hear,
    onStdout: (bytes) => listener?.onStdout(bytes),
    onStderr: (bytes) => listener?.onStderr(bytes),
    onClosed: () => void lose('went'),
  });
  const { hold, send } = await coming.catch(async (thrown: unknown) => {
    await sandbox.close();
    throw thrown;
  });
  return {
    isFit: () => loss === undefined,
    send,
    attend(next) {
      listener = next;
      hold(true);
      if (loss !== undefined) void close().then((result) => next.onLost(loss ?? 'ended', result));
      return () => {
        listener = undefined;
        hold(false);
      };
    },
    endAfter(line) {
      if (loss !== undefined) return;
      loss = 'ended';
      send(line);
      hold(true);
      setTimeout(() => void close(), momentMs);
    },
    gone: gone.promise,
    async end() {
      loss ??= 'ended';
      hold(true);
      await close();
    },
  };
}

/** Gives complete lines; says when one is too long, and then nothing more. */
function createLines(onLong: () => void, onLine: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isLong = false;
  return (bytes) => {
    if (isLong) return;
    const [first = '', ...others] = decoder.write(bytes).split('\n');
    rest += first;
    for (const next of others) {
      const line = rest;
      rest = next;
      onLine(line);
    }
    if (rest.length <= 2 * mostCharacters) return;
    isLong = true;
    rest = '';
    onLong();
  };
}
