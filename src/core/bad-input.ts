import { AgentError } from './error.ts';

/** One fault of a value, as schema libraries tell it. */
export interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** What is said of a value that does not fit its schema: each fault with its place. */
export function badInput(what: string, found: readonly Fault[]): AgentError {
  const faults = found.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} does not fit: ${faults.join('; ')}.`;
  return new AgentError('usage.bad-input', message, {
    hint: 'Correct it; "skilled show" tells what a skill takes.',
    details: { faults },
  });
}
