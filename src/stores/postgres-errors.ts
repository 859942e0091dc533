import { AgentError, isAgentError, reasonOf } from '../core/error.ts';

/** Whether PostgreSQL gave a statement up, all of it, only because others were in its way. */
export function mayTryAgain(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === '40P01' || code === '40001'; // deadlock, serialization failure
}

/** A failure of PostgreSQL as one of ours; what it is about is named with host and database, never the password. */
export function toStoreError(thrown: unknown, named: string): AgentError {
  if (isAgentError(thrown)) return thrown;
  return new AgentError('sandbox.store', `The ${named} cannot be used: ${wordsOf(thrown)}.`, {
    hint: 'Check that the server runs, that the address, user and password are right and that the user may make tables.',
    cause: thrown,
  });
}

// A name with several addresses fails once for each of them.
function wordsOf(thrown: unknown): string {
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  return reasonOf(first) || codeOf(first);
}

/** The code that PostgreSQL or the system gave a failure; empty where there is none. */
export function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
