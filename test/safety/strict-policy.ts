import { withoutAsking } from '../../src/cli/open-agent.ts';
import type { Policy } from '../../src/core/policy.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { openTrustBook } from '../../src/policy/trust-book.ts';

/** The policy of the program with these rules; whoever would be asked says no. */
export function strictPolicy(allow: readonly string[], deny: readonly string[] = []): Policy {
  return withoutAsking(createPolicy({ allow, deny }, openTrustBook(undefined)));
}
