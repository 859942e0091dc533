import type { PermissionRequest } from '../core/policy.ts';
import { isForeign, isFromServer } from '../core/skill.ts';

/** Whether a person must trust a skill before it is first used: code comes with it that nobody here chose, or even its text comes from a server. Pure. */
export function needsTrust(request: Pick<PermissionRequest, 'source' | 'runsCode' | 'made'>): boolean {
  return isFromServer(request) || (request.runsCode && isForeign(request));
}
