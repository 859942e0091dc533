import { isForeign } from '../core/is-foreign.ts';
import type { PermissionRequest } from '../core/policy.ts';

/** Whether a person must trust a skill before code that comes with it first runs: it has some, and nobody here chose it. Pure. */
export function needsTrust({ source, runsCode }: Pick<PermissionRequest, 'source' | 'runsCode'>): boolean {
  return runsCode && isForeign({ source });
}
