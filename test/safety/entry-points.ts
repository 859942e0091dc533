import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Json } from '../../src/core/json.ts';
import type { LoadedText } from '../../src/core/descriptor/skill-text.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import type { Stage } from './stage.ts';
import { commandsIn, runSkill, type RecordedRun } from './report.ts';

/** The two ways to use a skill: its text is loaded into a conversation, or it runs in its own conversation. */
export type EntryPoint = 'load' | 'call';

/** A skill that was used in one of the two ways. */
export interface Opened extends RecordedRun {
  readonly entryPoint: EntryPoint;
  /** The rendered text that a model reads. Undefined if no text was rendered. */
  readonly text: string | undefined;
  /** The commands that ran. */
  readonly commands: readonly string[];
}

/**
 * Both ways to use the trusted skills of a stage. Every command is allowed, so that only rendering protects.
 */
export interface EntryPoints extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  /** Uses a skill in both ways, or in some. */
  open(skill: string, input?: Json, which?: readonly EntryPoint[]): Promise<readonly Opened[]>;
}

const folder = 'own';

/** Writes an Agent Skill that the entry points of its stage can use. */
export function writeSkill(stage: Stage, name: string, body: string, head = ''): string {
  return stage.write(
    `${folder}/${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: Does ${name}.\n${head}---\n\n${body}\n`,
  );
}

/** Opens the entry points of a stage. The model for calls answers at once. */
export function openEntryPoints(stage: Stage, options: AgentOptions = {}): EntryPoints {
  const model = createScriptedModel(() => 'Done.');
  const additionalSkillRoots = [stage.at(folder)];
  const permissions = { allow: ['Bash'] };
  const agent = stage.agent({ models: model, additionalSkillRoots, permissions, ...options });
  return {
    agent,
    async open(skill, input = null, which = ['load', 'call']) {
      const opened: Opened[] = [];
      for (const entryPoint of which) {
        const before = model.requests.length;
        const recorded = await runSkill(agent, {
          skill,
          input,
          ...(entryPoint === 'load' ? { mode: entryPoint } : {}),
        });
        const { text: loaded } = (recorded.result.value ?? {}) as unknown as Partial<LoadedText>;
        const text = entryPoint === 'load' ? loaded : model.requests[before]?.messages[0]?.text;
        opened.push({ entryPoint, ...recorded, text, commands: commandsIn(recorded.events) });
      }
      return opened;
    },
    [Symbol.asyncDispose]: () => agent.shutdown(),
  };
}
