import type { AgentError } from '../../core/index.ts';
import type { Principal } from './principal.ts';

/** Finds out who sends a request. */
export interface Authenticator {
  /**
   * Returns the principal of a request, or the error to respond with: `policy.unauthenticated` (status 401)
   * or `policy.denied` (403). Rejects only if the store fails.
   */
  authenticate(headers: Headers): Promise<Principal | AgentError>;
}
