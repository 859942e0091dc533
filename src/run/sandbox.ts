import { AgentError } from '../core/error.ts';
import type { Sandbox } from '../core/sandbox.ts';
import type { Skill } from '../core/skill.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';

/** The sandbox of a frame: opened when first asked for, closed with the frame; nothing but the skill's own folder is granted. */
export async function openSandbox({ kernel }: Execution, frame: Frame, skill: Skill): Promise<Sandbox> {
  const { sandboxes } = kernel;
  if (sandboxes === undefined) {
    throw new AgentError('sandbox.unavailable', `There is no sandbox for "${skill.name}" to work in.`, {
      hint: 'Give the agent one that fits this machine.',
    });
  }
  const read = skill.dir === '' ? [] : [skill.dir];
  return frame.keeper.keep('sandbox', () => sandboxes.open({ read, write: [], hosts: [], environment: {} }));
}
