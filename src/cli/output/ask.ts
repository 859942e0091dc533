import { createInterface } from 'node:readline';

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
      signal?.removeEventListener('abort', abort);
      lines.off('close', abort).close();
      resolve(answer);
      if (answer === undefined) output.write('\n');
    };
    const abort = (): void => end(undefined);
    signal?.addEventListener('abort', abort);
    lines.once('line', end);
    lines.once('close', abort);
  });
}
