import { StringDecoder } from 'node:string_decoder';
import type { Command, CommandResult, Sandbox } from '../core/sandbox.ts';
import { mostCharacters } from './code-limits.ts';
import { readCodeMessage } from './code-message.ts';
import type { FromWorker } from './code-wire.ts';
import { withinGrace } from './within-grace.ts';

/** How a process was lost: it ended, made no sense or said too much at once. */
export type Loss = 'ended' | 'nonsense' | 'large';

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
  isAlive(): boolean;
  send(line: string): void;
  /** One at a time, until the returned function is called. */
  attend(listener: CodeListener): () => void;
  /** Kills it with all that it started; resolves when it has ended and its sandbox is closed. */
  end(): Promise<void>;
}

/** Starts a command in a sandbox of its own and talks with it; what it says while nobody attends to it ends it. */
export async function attendCode(sandbox: Sandbox, command: Command): Promise<CodeProcess> {
  let listener: CodeListener | undefined;
  let loss: Loss | undefined;

  const lose = (how: Loss): void => {
    if (loss !== undefined) return;
    loss = how;
    void take().then((result) => listener?.onLost(how, result));
  };
  const take = async (): Promise<CommandResult> => {
    const { ended } = await coming;
    if (loss === 'ended') await withinGrace(ended); // it is mostly about to end, and its exit code tells why
    await end();
    return ended;
  };
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= sandbox.close());

  const hear = createLines(
    () => lose('large'),
    (line) => {
      if (loss !== undefined) return;
      const message = readCodeMessage(line);
      if (message === undefined || listener === undefined) lose('nonsense');
      else listener.onMessage(message, line.length);
    },
  );
  const coming = sandbox.converse(command, {
    onMessage: hear,
    onStdout: (bytes) => listener?.onStdout(bytes),
    onStderr: (bytes) => listener?.onStderr(bytes),
    onClosed: () => lose('ended'),
  });
  const { hold, send } = await coming.catch(async (thrown: unknown) => {
    await end();
    throw thrown;
  });
  return {
    isAlive: () => loss === undefined,
    send,
    attend(next) {
      listener = next;
      hold(true);
      if (loss !== undefined) void take().then((result) => next.onLost(loss ?? 'ended', result));
      return () => {
        listener = undefined;
        hold(false);
      };
    },
    async end() {
      loss ??= 'ended';
      hold(true);
      await end();
      hold(false);
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
