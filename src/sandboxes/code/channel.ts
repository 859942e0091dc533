import { StringDecoder } from 'node:string_decoder';
import { setImmediate as turn } from 'node:timers/promises';
import type { ProcessCommand, ProcessResult, Sandbox } from '../../core/index.ts';
import { createTailBuffer } from '../process/output.ts';
import { withinGrace } from '../process/process-group.ts';
import { maxCharacters, maxPrinted, readCodeMessage, type FromWorker } from './protocol.ts';

/** The output that a call prints. */
export interface Printed {
  readonly listener: Pick<CodeListener, 'onStdout' | 'onStderr'>;
  /**
   * Waits for output that the call wrote before its result. Output and result use different channels, so the
   * result can arrive first.
   */
  settle(): Promise<void>;
  /**
   * Returns the last `most` characters, or all kept output by default. If earlier output was dropped, the
   * text starts with a line that states how much.
   */
  stdout(most?: number): string;
  stderr(most?: number): string;
}

const maxTurns = 50; // The maximum number of event loop turns to wait for remaining output.

/** Creates a collector for a call's output. It keeps only the end of stdout and of stderr. */
export function hearPrinted(): Printed {
  const [stdout, stderr] = [createTailBuffer(maxPrinted), createTailBuffer(maxPrinted)];
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
      for (let turns = 0, before = -1; before !== pieces && turns < maxTurns; turns += 1) {
        before = pieces;
        await turn(); // Pending output arrives during this event loop turn.
      }
    },
    stdout: stdout.text,
    stderr: stderr.text,
  };
}

/**
 * The reason why a process ended during a call: it exited on its own (`went`), or the host ended it because
 * of an invalid message (`nonsense`), a line that was too long (`large`), or another reason (`ended`).
 */
export type Loss = 'went' | 'nonsense' | 'large' | 'ended';

/** A listener for the messages and the output of a process during a call. */
export interface CodeListener {
  /** Receives a message. `length` is the message's size in characters. */
  onMessage(message: FromWorker, length: number): void;
  onStdout(bytes: Uint8Array): void;
  onStderr(bytes: Uint8Array): void;
  /** Called once, when the process has ended. */
  onLost(loss: Loss, result: ProcessResult): void;
}

/**
 * The host's side of a process that calls skill functions. The host stays alive for the process only while
 * there is a listener.
 */
export interface CodeProcess {
  /** Returns whether the process can take another call. */
  isFit(): boolean;
  send(line: string): void;
  /** Sets the only listener. The returned function removes it. */
  listen(listener: CodeListener): () => void;
  /**
   * Sends a last line, and then ends the process after a short delay, or as soon as the process sends
   * anything.
   */
  endAfter(line: string): void;
  /** Kills the process and all its children. Resolves when they have ended and the sandbox is closed. */
  end(): Promise<void>;
  /** Resolves when the process has ended, for whatever reason, and its sandbox is closed. */
  readonly gone: Promise<undefined>;
}

const momentMs = 100;

/**
 * Starts a command in a sandbox and opens a channel to the process. Closes the sandbox when the process ends.
 * Ends the process if it sends anything while there is no listener.
 */
export async function openCodeChannel(sandbox: Sandbox, command: ProcessCommand): Promise<CodeProcess> {
  let listener: CodeListener | undefined;
  let loss: Loss | undefined;
  let closing: Promise<ProcessResult> | undefined;
  const gone = Promise.withResolvers<undefined>();

  const close = (): Promise<ProcessResult> => (closing ??= finish());
  const finish = async (): Promise<ProcessResult> => {
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
    // Wait for the exit code, which explains why the process was lost.
    if (how === 'went') await withinGrace((await coming).ended);
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
    listen(next) {
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

/**
 * Creates a function that splits bytes into lines. The function stops after it has reported a line that is
 * too long.
 */
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
    if (rest.length <= 2 * maxCharacters) return;
    isLong = true;
    rest = '';
    onLong();
  };
}
