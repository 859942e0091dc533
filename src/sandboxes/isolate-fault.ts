import { reasonOf } from '../core/error.ts';
import type { SnippetFailure } from './snippet-wire.ts';

/** What the engine has against the text of a snippet. */
export function syntaxFailure(thrown: unknown, code: string): SnippetFailure {
  const message = reasonOf(thrown);
  const place = / \[snippet:(\d+):\d+\]$/.exec(message);
  const last = code.split('\n').length; // the line after it is not of the snippet
  return {
    kind: 'syntax',
    message: place === null ? message : message.slice(0, place.index),
    ...(place === null ? {} : { line: Math.min(Number(place[1]), last) }),
  };
}

/** The line of the snippet at which a stack begins, where it says so. */
export function lineOfStack(stack: string): { readonly line?: number } {
  const place = /^ +at .*\bsnippet:(\d{1,7}):\d+/m.exec(stack);
  return place === null ? {} : { line: Number(place[1]) };
}
