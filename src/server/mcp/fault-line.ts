import { reasonOf } from '../../core/error.ts';

const mostLetters = 300;

/** What goes wrong between client and server as one line for whoever runs the server; what a client sent is not repeated. */
export function faultLine(thrown: unknown): string {
  const isShape = thrown instanceof Error && thrown.name === 'ZodError';
  if (isShape) return 'A client sent something that is no message.';
  return reasonOf(thrown).replace(/\s+/g, ' ').slice(0, mostLetters);
}
