import type { AgentOptions } from '../../src/agent/options.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { RunResult } from '../../src/core/run.ts';
import type { Script } from '../../src/models/scripted.ts';
import { ofType, type TestSkill } from './kernel.ts';
import { stageIn, type SubagentStage } from './subagent-stage.ts';
import { tree } from './tree.ts';

/** The result of a run, with its events and notes. */
export interface Asked {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  readonly notes: readonly string[];
}

/** An agent that runs an MCP skill named `desk`, with a scripted model. */
export interface McpStage extends SubagentStage {
  readonly folder: string;
  ask(input?: Json, skill?: string): Promise<Asked>;
  /** Returns the tool names in each model request. */
  offered(): readonly (readonly string[])[];
}

/** Overrides for a stage. */
export interface McpOptions extends Omit<AgentOptions, 'skills'> {
  /** The contents of the skill's `Servers` section. */
  readonly servers?: JsonObject;
  readonly sections?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly skills?: Readonly<Record<string, TestSkill>>;
}

/** Returns the text of an `mskill.md` with these sections. */
export function mskillText(name: string, sections: Readonly<Record<string, string>>): string {
  const all = Object.entries({ Description: `Does ${name}.`, ...sections });
  return [`# ${name}`, ...all.map(([heading, text]) => `## ${heading}\n\n${text}`), ''].join('\n\n');
}

/** Puts a plan into a code block. */
export function fenced(script: string): string {
  return `\`\`\`\n${script}\n\`\`\``;
}

/** Opens a stage whose workspace is a new temporary folder. By default, every call is allowed. */
export function mcpStage(script: Script, options: McpOptions = {}): McpStage {
  const { servers, sections = {}, files = {}, ...others } = options;
  const described = servers && { Servers: `\`\`\`json\n${JSON.stringify(servers)}\n\`\`\`` };
  const desk = mskillText('desk', { ...sections, ...described });
  const folder = tree({ ...files, '.agents/skills/desk/mskill.md': desk });
  const limits = { callSeconds: 60, runSeconds: 120 }; // servers start slowly on a busy machine
  const stage = stageIn(folder, script, { workspace: folder.path, limits, ...others });
  return {
    ...stage,
    folder: folder.path,
    async ask(input = 'Go.', skill = 'desk') {
      const run = stage.agent.run({ skill, input });
      const result = await run.result;
      const events = await stage.agent.runs.events(run.id);
      return { result, events, notes: ofType(events, 'note.added').map(({ message }) => message) };
    },
    offered: () => stage.model.requests.map(({ tools = [] }) => tools.map(({ name }) => name)),
    async [Symbol.asyncDispose]() {
      await stage.agent.shutdown();
      folder[Symbol.dispose]();
    },
  };
}
