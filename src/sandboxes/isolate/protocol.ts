import type { Readable } from 'node:stream';

/** What the host says to the process that runs snippets, one JSON document per line; values travel as JSON texts. */
export type ToIsolate =
  | { readonly run: SnippetOrder }
  | { readonly answer: number; readonly text: string; readonly isFault: boolean };

/** What that process says to the host. */
export type FromIsolate =
  | { readonly ready: true }
  | { readonly unavailable: string }
  | { readonly call: number; readonly name: string; readonly given: string }
  | { readonly value: string; readonly isEmpty?: true; readonly log: string }
  | { readonly failed: SnippetFailure; readonly log: string };

/** A snippet as it travels, every limit decided. */
export interface SnippetOrder {
  readonly code: string;
  readonly input: string;
  readonly names: readonly string[];
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly mostOutput: number;
  readonly mostCalls: number;
}

/** Why a snippet has no value. */
export const failureKinds = ['syntax', 'threw', 'waits', 'time', 'memory', 'output'] as const;

/** A snippet that cannot be read, threw, waits for what never comes, or met one of its limits. */
export interface SnippetFailure {
  readonly kind: (typeof failureKinds)[number];
  readonly message?: string;
  readonly line?: number;
}

/** Gives the lines of a stream as they are complete; destroys the stream when one has more than so many characters. */
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
