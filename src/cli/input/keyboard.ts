import { onAbort, pause } from '../../core/index.ts';

/**
 * Asks for one line, which the user can edit in the terminal. Returns undefined if the input ends first or
 * the signal is aborted.
 */
export function askOn(
  input: NodeJS.ReadableStream,
  output: { write(text: string): unknown },
  prompt: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (signal?.aborted === true) return Promise.resolve(undefined);
  output.write(prompt);
  return new Promise((resolve) => {
    // Loaded on first use, because most commands read nothing.
    const { createInterface } = process.getBuiltinModule('node:readline');
    const lines = createInterface({ input, terminal: false });
    const end = (answer: string | undefined): void => {
      listener[Symbol.dispose]();
      lines.off('close', abort).close();
      resolve(answer);
      if (answer === undefined) output.write('\n');
    };
    const abort = (): void => end(undefined);
    const listener = onAbort(signal, abort);
    lines.once('line', end);
    lines.once('close', abort);
  });
}

/** A terminal that delivers each key as it is typed. */
export interface Keys {
  setRawMode(isRaw: boolean): unknown;
  on(event: 'data', listener: (bytes: Buffer) => void): unknown;
  off(event: 'data', listener: (bytes: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
  unshift(bytes: Buffer): unknown;
}

/** Typed keys that are held back. On disposal, they are passed to the next reader of the input. */
export interface HeldKeys extends Disposable {
  /** Sets the held keys aside, so that the next `lend` does not pass them to its `work`. */
  putAside(): Promise<void>;
  /** Passes typed keys to `work` until it is done, including the keys held since the last `putAside`. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Sends a signal to the foreground process group, as the terminal would. */
type SendSignal = (name: NodeJS.Signals) => void;

const signals: ReadonlyMap<number, NodeJS.Signals> = new Map([
  [0x03, 'SIGINT'], // Ctrl+C
  [0x1c, 'SIGQUIT'], // Ctrl+\
  [0x1a, 'SIGTSTP'], // Ctrl+Z
]);

/** The time to wait for pending terminal input, in milliseconds. It is too short for a user to notice. */
const milliseconds = 40;

/**
 * Holds typed keys back while something is drawn, so that the terminal does not echo them into the drawing.
 * Keys that send signals, such as Ctrl+C, still work.
 */
export function holdTyped(keys: Keys, send: SendSignal): HeldKeys {
  let aside: number[] = [];
  let buffered: number[] = [];
  const hold = (bytes: Buffer): void => {
    for (const byte of bytes) {
      const name = signals.get(byte);
      if (name === undefined) buffered.push(byte);
      else {
        aside = []; // Discard pending input on a signal, as a terminal does.
        buffered = [];
        pass(name);
      }
    }
  };
  /** Sends a signal. Restores the terminal first if the signal ends or stops the process. */
  const pass = (name: NodeJS.Signals): void => {
    if (name !== 'SIGINT') keys.setRawMode(false);
    if (name === 'SIGTSTP') process.once('SIGCONT', onContinue);
    send(name);
  };
  const onContinue = (): void => void keys.setRawMode(true);
  const take = (): void => {
    keys.setRawMode(true);
    keys.on('data', hold);
    keys.resume();
  };
  const release = (): void => {
    process.off('SIGCONT', onContinue);
    keys.off('data', hold);
    keys.pause();
    keys.setRawMode(false);
    if (buffered.length > 0) keys.unshift(Buffer.from(buffered));
    buffered = [];
  };
  const putAside = (): void => {
    aside.push(...buffered);
    buffered = [];
  };
  take();
  return {
    async putAside() {
      await pause(milliseconds);
      putAside();
    },
    async lend(work) {
      release();
      try {
        return await work();
      } finally {
        take();
      }
    },
    [Symbol.dispose]() {
      putAside();
      buffered = aside;
      release();
    },
  };
}

/** Discards all input typed so far, so that an earlier key press does not answer a question. */
export async function forgetTyped(input: NodeJS.ReadableStream): Promise<void> {
  const drop = (): void => undefined;
  input.on('data', drop);
  await pause(milliseconds);
  input.off('data', drop);
  input.pause();
}
