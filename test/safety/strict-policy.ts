import { withoutAsking } from '../../src/cli/open-agent.ts';
import type { Policy } from '../../src/core/policy.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { openTrustBook } from '../../src/policy/trust-book.ts';

/** Creates the default policy with these rules. Every question is denied. */
export function strictPolicy(allow: readonly string[], deny: readonly string[] = []): Policy {
  return withoutAsking(createPolicy({ allow, deny }, openTrustBook(undefined)));
}
