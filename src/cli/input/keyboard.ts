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
  if (signal?.aborted === true || hasEnded(input)) return Promise.resolve(undefined);
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

/** Whether an input ended before, so that it reports no end any more. */
function hasEnded(input: NodeJS.ReadableStream): boolean {
  return 'readableEnded' in input && input.readableEnded === true;
}

/** The time to wait for pending terminal input, in milliseconds. It is too short for a user to notice. */
const milliseconds = 40;

/** Discards all input typed so far, so that an earlier key press does not answer a question. */
export async function forgetTyped(input: NodeJS.ReadableStream): Promise<void> {
  const drop = (): void => undefined;
  input.on('data', drop);
  await pause(milliseconds);
  input.off('data', drop);
  input.pause();
}
