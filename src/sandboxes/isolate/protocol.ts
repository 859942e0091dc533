import type { Readable } from 'node:stream';

/**
 * Messages from the host to a snippet process. Each line is a JSON document, in which values are encoded as
 * JSON strings.
 */
export type ToIsolate =
  | { readonly run: SnippetOrder }
  | { readonly answer: number; readonly text: string; readonly isFault: boolean };

/** Messages from a snippet process to the host. */
export type FromIsolate =
  | { readonly ready: true }
  | { readonly unavailable: string }
  | { readonly call: number; readonly name: string; readonly given: string }
  | { readonly value: string; readonly isEmpty?: true; readonly log: string }
  | { readonly failed: SnippetFailure; readonly log: string };

/** A snippet in the form in which its process receives it, with all limits set. */
export interface SnippetOrder {
  readonly code: string;
  readonly input: string;
  readonly names: readonly string[];
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly maxOutput: number;
  readonly maxCalls: number;
}

/** The reasons why a snippet returned no value. */
export const failureKinds = ['syntax', 'threw', 'waits', 'time', 'memory', 'output'] as const;

/** The failure of a snippet, for example a syntax error, a thrown value or an exceeded limit. */
export interface SnippetFailure {
  readonly kind: (typeof failureKinds)[number];
  readonly message?: string;
  readonly line?: number;
}

/**
 * Calls a function for each complete line of a stream. Destroys the stream if a line has more than `most()`
 * characters.
 */
export function readLines(source: Readable, most: () => number, onLine: (line: string) => void): void {
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n');
    rest += first;
    for (const next of others) {
      const line = rest;
      rest = next;
      onLine(line);
    }
    if (rest.length > most()) source.destroy();
  });
}
