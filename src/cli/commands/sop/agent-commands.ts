import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { isBasicCommand } from '../../../engines/sop/command.ts';
import type { CommandIndex, SopCommand } from '../../../engines/sop/command.ts';
import { signatureOf } from '../../../engines/sop/session/skill-commands.ts';

/** The skills of an agent that can be called, as the commands of a plan that a person wrote; for looking only, none of them runs. */
export function agentCommands({ skills }: RecursiveSkilledAgent): CommandIndex {
  return {
    find(name): SopCommand | undefined {
      if (isBasicCommand(name)) return undefined; // as when it runs
      const skill = skills.get(name); // one that is shadowed is found by its qualified name alone
      const isUsable = skill?.status === 'ready' || skill?.status === 'shadowed';
      return isUsable ? { ...signatureOf(skill), run: () => undefined } : undefined;
    },
    names: () =>
      skills
        .list()
        .filter(({ status }) => status === 'ready')
        .map(({ name }) => name),
  };
}
