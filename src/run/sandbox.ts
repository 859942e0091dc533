import { AgentError } from '../core/error.ts';
import type { Sandbox } from '../core/sandbox.ts';
import type { Skill } from '../core/skill.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import type { Target } from './resolve.ts';

/**
 * The sandbox of a frame: opened when first asked for, closed with the frame. It may read the skill's own folder; one
 * that runs processes for others, as a person allowed, also writes to the workspace.
 */
export async function openSandbox(execution: Execution, frame: Frame, target: Target): Promise<Sandbox> {
  const { kernel, runId } = execution;
  const { skill, family, definition } = target;
  const { sandboxes, workspace } = kernel;
  const runsProcesses = family.permission?.(definition).runsProcesses === true;
  if (sandboxes === undefined || !(runsProcesses || (await sandboxes.contains()))) {
    throw new AgentError('sandbox.unavailable', `There is no sandbox for "${skill.name}" to work in.`, {
      hint: 'Give the agent one that fits this machine.',
    });
  }
  const { hosts, read: granted } = kernel.reachOf(skill);
  const own = isBundle(skill) ? [skill.dir] : [];
  const read = [...own, ...granted];
  const environment = {
    ...kernel.environmentOf(skill),
    AI_AGENT: 'skilled',
    SKILLED_RUN_ID: runId,
    SKILLED_FRAME_ID: frame.id,
    ...(isBundle(skill) ? { SKILLED_SKILL_DIR: skill.dir } : {}),
  };
  const grant = {
    read,
    write: runsProcesses && workspace !== undefined ? [workspace] : [],
    ...kernel.guarded,
    hosts,
    environment,
  };
  return frame.keeper.keep('sandbox', () => sandboxes.open(grant));
}

/** The folder around a skill that is a single file is not its own. */
function isBundle({ dir, loose = false }: Skill & { readonly loose?: boolean }): boolean {
  return dir !== '' && !loose;
}
