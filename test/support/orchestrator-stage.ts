import type { Script } from '../../src/models/scripted.ts';
import type { AgentOptions } from '../../src/agent/options.ts';
import type { TestSkill } from './kernel.ts';
import { stageIn, type SubagentStage } from './subagent-stage.ts';
import { tree } from './tree.ts';

/** The sections of an `oskill.md`, keyed by heading. */
export type Sections = Readonly<Record<string, string>>;

/** Returns the text of an `oskill.md` with these sections. */
export function oskillText(name: string, sections: Sections = {}): string {
  const all = { Description: `Does ${name}.`, ...sections };
  const parts = Object.entries(all).map(([heading, text]) => `## ${heading}\n\n${text}\n`);
  return [`# ${name}\n`, ...parts].join('\n');
}

/** Orchestrators, their skills and their model. */
export interface OrchestratorStage extends SubagentStage {
  /** Returns the tool names in each model request. */
  readonly offered: () => readonly (readonly string[])[];
}

/**
 * Creates a stage with these orchestrators, skills that are defined in code, and one model for every tier.
 * Disposing it deletes its files.
 */
export function orchestratorStage(
  orchestrators: Readonly<Record<string, Sections>>,
  script: Script,
  options: Omit<AgentOptions, 'skills'> & {
    readonly skills?: Readonly<Record<string, TestSkill>>;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): OrchestratorStage {
  const { files = {}, ...others } = options;
  const written = Object.entries(orchestrators).map(([name, sections]) => [
    `.agents/skills/${name}/oskill.md`,
    oskillText(name, sections),
  ]);
  const folder = tree({ ...files, ...(Object.fromEntries(written) as Readonly<Record<string, string>>) });
  const stage = stageIn(folder, script, others);
  return {
    ...stage,
    offered: () => stage.model.requests.map(({ tools = [] }) => tools.map(({ name }) => name)),
    async [Symbol.asyncDispose]() {
      await stage.agent.shutdown();
      folder[Symbol.dispose]();
    },
  };
}
