import { AgentError } from '../core/error.ts';
import type { CallOptions } from '../core/scope.ts';
import type { Execution } from './execution.ts';
import type { Target } from './target.ts';

/** Throws `policy.shell-disabled` for a command that stands in the text of a skill, where settings let none of them run. */
export function checkShell({ kernel }: Execution, { family, definition }: Target, call: CallOptions): void {
  if (call.asWritten !== true || !kernel.isShellDisabled()) return;
  if (family.permission?.(definition).runsProcesses !== true) return;
  throw new AgentError('policy.shell-disabled', 'Commands in the texts of skills are switched off.', {
    hint: 'They run again without the setting "skills.disableShellExecution".',
  });
}
