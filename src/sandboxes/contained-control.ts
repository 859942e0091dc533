import type { Duplex } from 'node:stream';

/** How a command ended in its sandbox. */
export interface Ended {
  readonly exitCode: number;
  /** Whether no other process is left there. */
  readonly isAlone: boolean;
}

/** What is said between us and the script that runs a command in a sandbox. */
export interface Control {
  /** The first line: what the script found. Undefined when the sandbox ended before. */
  readonly found: Promise<string | undefined>;
  /** The second line: how the command ended. Undefined when the sandbox ended before. */
  readonly ended: Promise<Ended | undefined>;
  /** Lets the command begin. */
  go(): void;
}

const mostCharacters = 100; // nothing long is ever said, by somebody honest

/** Listens to the script behind a stream. A command may take its place, so that what it says is believed of the command only. */
export function attendControl(stream: Duplex): Control {
  const found = Promise.withResolvers<string | undefined>();
  const ended = Promise.withResolvers<Ended | undefined>();
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    text = (text + piece).slice(0, mostCharacters);
    const [first, second, ...more] = text.split('\n');
    if (second !== undefined) found.resolve(first);
    if (more.length > 0) ended.resolve(endIn(second));
  });
  stream.on('error', () => undefined); // the other end is gone; `close` follows
  stream.on('close', () => {
    found.resolve(undefined);
    ended.resolve(undefined);
  });
  return { found: found.promise, ended: ended.promise, go: () => void stream.write('go\n') };
}

function endIn(line = ''): Ended | undefined {
  const [, code, left] = /^(\d{1,3}) (nobody|others)$/.exec(line) ?? [];
  return code === undefined ? undefined : { exitCode: Number(code), isAlone: left === 'nobody' };
}
