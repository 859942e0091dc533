import type { Readable } from 'node:stream';

/** Messages from the host to a snippet process, one JSON document per line; values are JSON strings. */
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

/** A snippet in the form sent to its process, with all limits set. */
export interface SnippetOrder {
  readonly code: string;
  readonly input: string;
  readonly names: readonly string[];
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly maxOutput: number;
  readonly maxCalls: number;
}

/** Reasons why a snippet returned no value. */
export const failureKinds = ['syntax', 'threw', 'waits', 'time', 'memory', 'output'] as const;

/** A snippet's failure: a syntax error, a thrown value, a wait that never ends, or an exceeded limit. */
export interface SnippetFailure {
  readonly kind: (typeof failureKinds)[number];
  readonly message?: string;
  readonly line?: number;
}

/**
 * Passes each complete line of a stream to a function. Destroys the stream if a line exceeds `most()`
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
