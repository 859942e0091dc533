import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/models/scripted.ts';
import { agentWith, yesPolicy, type TestSkill } from './kernel.ts';
import type { Tree } from './tree.ts';

/** Returns the path of a test's subagent file. */
export function subagentFile(name: string): string {
  return `.agents/agents/${name}.md`;
}

/** Returns the text of a subagent file with these frontmatter lines. */
export function subagentText(name: string, lines: readonly string[] = [], body = `You are ${name}.`): string {
  return ['---', `name: ${name}`, `description: Works as ${name}.`, ...lines, '---', '', body, ''].join('\n');
}

/** An agent that works in a folder, with a scripted model. */
export interface SubagentStage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
}

/** Creates a stage with the subagents and skills of a folder. By default, every call is allowed. */
export function stageIn(
  files: Tree,
  script: Script,
  {
    skills = {},
    ...options
  }: Omit<AgentOptions, 'skills'> & { readonly skills?: Readonly<Record<string, TestSkill>> } = {},
): SubagentStage {
  const model = createScriptedModel(script);
  const agent = agentWith(skills, {
    startDir: files.path,
    searchUpwards: false,
    policy: yesPolicy,
    models: model,
    ...options,
  });
  return { agent, model, [Symbol.asyncDispose]: () => agent.shutdown() };
}
