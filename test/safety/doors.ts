import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Json } from '../../src/core/json.ts';
import type { LoadedText } from '../../src/core/descriptor/skill-text.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import type { Stage } from './stage.ts';
import { commandsIn, tell, type Told } from './tell.ts';

/** One of the two ways to use a skill: its text is loaded into a conversation, or it is carried out in one of its own. */
export type Door = 'load' | 'call';

/** A skill that was used in one of the two ways. */
export interface Opened extends Told {
  readonly door: Door;
  /** The rendered text that a model reads; undefined when none of it got that far. */
  readonly text: string | undefined;
  /** The commands that really ran. */
  readonly commands: readonly string[];
}

/** Both ways to use the skills of a stage that a person trusts, where every command is allowed: only rendering protects. */
export interface Doors extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  /** Uses a skill through both doors, or through some. */
  open(skill: string, input?: Json, which?: readonly Door[]): Promise<readonly Opened[]>;
}

const folder = 'own';

/** Writes an Agent Skill that the doors of its stage lead to. */
export function writeSkill(stage: Stage, name: string, body: string, head = ''): string {
  return stage.write(
    `${folder}/${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: Does ${name}.\n${head}---\n\n${body}\n`,
  );
}

/** Opens the doors of a stage; the model behind the second one answers at once. */
export function openDoors(stage: Stage, options: AgentOptions = {}): Doors {
  const model = createScriptedModel(() => 'Done.');
  const additionalSkillRoots = [stage.at(folder)];
  const permissions = { allow: ['Bash'] };
  const agent = stage.agent({ models: model, additionalSkillRoots, permissions, ...options });
  return {
    agent,
    async open(skill, input = null, which = ['load', 'call']) {
      const opened: Opened[] = [];
      for (const door of which) {
        const before = model.requests.length;
        const told = await tell(agent, { skill, input, ...(door === 'load' ? { through: door } : {}) });
        const { text: loaded } = (told.result.value ?? {}) as unknown as Partial<LoadedText>;
        const text = door === 'load' ? loaded : model.requests[before]?.messages[0]?.text;
        opened.push({ door, ...told, text, commands: commandsIn(told.events) });
      }
      return opened;
    },
    [Symbol.asyncDispose]: () => agent.shutdown(),
  };
}
