import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Json } from '../../src/core/json.ts';
import type { Output } from '../../src/core/run.ts';
import type { HookMoment } from '../../src/core/descriptor/skill-text.ts';
import type { Scope } from '../../src/core/scope.ts';
import type { SkillCard } from '../../src/core/skill.ts';
import { loopOutput, type LoopEnd } from '../../src/engines/loop/end.ts';
import { offerTools } from '../../src/engines/loop/offer-tools.ts';
import { runLoop, type LoopRequest } from '../../src/engines/loop/run-loop.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/models/scripted.ts';
import { agentWith, done, flowFamily, flowsIn, flowText, type TestSkill, type Run } from './kernel.ts';
import { tree } from './tree.ts';

/** A skill whose text can be loaded. */
export interface Guide {
  readonly text?: string;
  readonly card?: Partial<SkillCard>;
  readonly hooks?: readonly HookMoment[];
  /** Returns the output of its hooks. */
  readonly hook?: (event: Json, scope: Scope) => Output | Promise<Output>;
  /** Executes the skill when it runs on its own. */
  readonly run?: (input: Json, scope: Scope) => Output | Promise<Output>;
}

/** An agent with a skill `think` that runs a model loop over all the skills it may call. */
export interface GuideStage extends Disposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
  readonly ends: readonly LoopEnd[];
  /** The names of the guides, one per load, in order. */
  readonly loads: readonly string[];
}

/** Creates a stage with a scripted model, guides keyed by name, and skills that are defined in code. */
export function guideStage(
  script: Script,
  guides: Readonly<Record<string, Guide>>,
  skills: Readonly<Record<string, TestSkill>> = {},
  { options = {}, ...request }: Partial<LoopRequest> & { readonly options?: AgentOptions } = {},
): GuideStage {
  const folder = tree();
  for (const [name, { text = `Text of ${name}.` }] of Object.entries(guides))
    folder.write(`.agents/skills/${name}/FLOW.md`, flowText(name, text));
  const model = createScriptedModel(script);
  const ends: LoopEnd[] = [];
  const loads: string[] = [];
  const guideOf = (name: string): Guide => guides[name] ?? {};
  const plain = flowFamily();
  const family = flowFamily({
    parse(bundle) {
      const { definition, ...parsed } = plain.parse(bundle);
      const card = { description: `Is for ${parsed.name}.`, ...guideOf(parsed.name).card };
      return { ...parsed, definition: String(definition), card };
    },
    execute: async (_text, input, scope) =>
      (await guideOf(scope.skill.name).run?.(input, scope)) ?? done('Worked.'),
    text: {
      load: async (text, input, { skill }) => {
        loads.push(skill.name);
        const { hooks } = guideOf(skill.name);
        const whole = `${String(text)} (${JSON.stringify(input)})`;
        const value = {
          text: whole,
          commands: [],
          replacements: [],
          ...(hooks === undefined ? {} : { hooks }),
        };
        return done(whole, value);
      },
      hook: async (_text, event, scope) =>
        (await guideOf(scope.skill.name).hook?.(event, scope)) ?? done('', {}),
    },
  });
  const run: Run = async (input, scope) => {
    const prompt = typeof input === 'string' ? input : 'Go.';
    const tools = await offerTools(scope, { request: prompt });
    const end = await runLoop(scope, { prompt, tools, ...request });
    ends.push(end);
    return loopOutput(end);
  };
  const agent = agentWith(
    { ...skills, think: run },
    { ...flowsIn(folder.path, family), models: { execution: model, summary: model }, ...options },
  );
  return { agent, model, ends, loads, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}
