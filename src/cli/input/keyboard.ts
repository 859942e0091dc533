import { createInterface } from 'node:readline';
import { onAbort, pause } from '../../core/index.ts';

/** Asks for one line; undefined when the input ends before it, or the signal is aborted. The terminal edits the line. */
export function askOn(
  input: NodeJS.ReadableStream,
  output: { write(text: string): unknown },
  prompt: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (signal?.aborted === true) return Promise.resolve(undefined);
  output.write(prompt);
  return new Promise((resolve) => {
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

/** A terminal that keys are typed at. */
export interface Keys {
  setRawMode(isRaw: boolean): unknown;
  on(event: 'data', listener: (bytes: Buffer) => void): unknown;
  off(event: 'data', listener: (bytes: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
  unshift(bytes: Buffer): unknown;
}

/** Keys that are held back until it is disposed of; whoever reads then gets them. */
export interface KeptKeys extends Disposable {
  /** Puts aside what was typed before now: it is for nobody that keys are lent to. */
  putAside(): Promise<void>;
  /** Lets somebody else read, also what is held back, until their work is done. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Sends a signal as the terminal would: to all that work in front of it. */
type SendSignal = (name: NodeJS.Signals) => void;

const signals: ReadonlyMap<number, NodeJS.Signals> = new Map([
  [0x03, 'SIGINT'], // Ctrl+C
  [0x1c, 'SIGQUIT'], // Ctrl+\
  [0x1a, 'SIGTSTP'], // Ctrl+Z
]);

/** Long enough for a terminal to hand over what lies ready; nobody notices it. */
const milliseconds = 40;

/** Holds back what is typed while something is drawn, so that the terminal does not write it in between. Keys that stand for signals still do. */
export function keepTyped(keys: Keys, send: SendSignal): KeptKeys {
  let aside: number[] = [];
  let kept: number[] = [];
  const hold = (bytes: Buffer): void => {
    for (const byte of bytes) {
      const name = signals.get(byte);
      if (name === undefined) kept.push(byte);
      else {
        aside = []; // as a terminal does
        kept = [];
        pass(name);
      }
    }
  };
  /** Whoever is ended or stopped by it leaves the terminal as it was. */
  const pass = (name: NodeJS.Signals): void => {
    if (name !== 'SIGINT') keys.setRawMode(false);
    if (name === 'SIGTSTP') process.once('SIGCONT', goOn);
    send(name);
  };
  const goOn = (): void => void keys.setRawMode(true);
  const take = (): void => {
    keys.setRawMode(true);
    keys.on('data', hold);
    keys.resume();
  };
  const release = (): void => {
    process.off('SIGCONT', goOn);
    keys.off('data', hold);
    keys.pause();
    keys.setRawMode(false);
    if (kept.length > 0) keys.unshift(Buffer.from(kept));
    kept = [];
  };
  const putAside = (): void => {
    aside.push(...kept);
    kept = [];
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
      kept = aside;
      release();
    },
  };
}

/** Throws away what was typed before now: a key that was meant for something else decides nothing. */
export async function forgetTyped(input: NodeJS.ReadableStream): Promise<void> {
  const drop = (): void => undefined;
  input.on('data', drop);
  await pause(milliseconds);
  input.off('data', drop);
  input.pause();
}
