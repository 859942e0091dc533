import { createInterface } from 'node:readline';
import type { Lines } from './lines.ts';

/** The lines that a program or a file gives; nobody is prompted. */
export function pipedLines(input: NodeJS.ReadableStream): Lines {
  const reader = createInterface({ input, terminal: false, crlfDelay: Infinity });
  const coming = reader[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await coming.next();
      return done === true ? undefined : value;
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
