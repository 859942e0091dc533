import type { AgentOptions } from '../../src/agent/options.ts';
import type { ArtifactCreated } from '../../src/core/event-types.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { RunResult } from '../../src/core/run.ts';
import type { Script } from '../../src/models/scripted.ts';
import { ofType, type TestSkill } from './kernel.ts';
import { stageIn, type SubagentStage } from './subagent-stage.ts';
import { tree } from './tree.ts';

/** The result of a run, with its events, artifacts and notes. */
export interface Asked {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  readonly artifacts: readonly ArtifactCreated[];
  readonly notes: readonly string[];
}

/** An agent that runs a dynamic code skill named `dynamic` in real isolates, with a scripted model. */
export interface DynamicCodeStage extends SubagentStage {
  ask(input?: Json): Promise<Asked>;
}

/** Overrides for a stage. */
export interface DynamicCodeOptions extends Omit<AgentOptions, 'skills'> {
  /** Frontmatter lines. */
  readonly head?: readonly string[];
  /** Sections, keyed by heading. */
  readonly sections?: Readonly<Record<string, string>>;
  readonly skills?: Readonly<Record<string, TestSkill>>;
}

/** Opens a stage whose model follows a script. */
export function dynamicCodeStage(
  script: Script,
  { head = [], sections = {}, ...options }: DynamicCodeOptions = {},
): DynamicCodeStage {
  const lines = ['---', 'name: dynamic', 'description: Answers.', ...head, '---', ''];
  const parts = Object.entries(sections).map(([heading, text]) => `## ${heading}\n\n${text}\n`);
  const files = tree({ '.agents/skills/dynamic/dcgskill.md': [...lines, ...parts].join('\n') });
  const stage = stageIn(files, script, options);
  return {
    ...stage,
    async ask(input = 'Go.') {
      const run = stage.agent.run({ skill: 'dynamic', input });
      const result = await run.result;
      const events = await stage.agent.runs.events(run.id);
      const notes = ofType(events, 'note.added').map(({ message }) => message);
      return { result, events, artifacts: ofType(events, 'artifact.created'), notes };
    },
    async [Symbol.asyncDispose]() {
      await stage.agent.shutdown();
      files[Symbol.dispose]();
    },
  };
}

/** Formats a model's text answer. */
export function inText(text: string): string {
  return JSON.stringify({ mode: 'text', text });
}

/** Formats a model's answer that contains code. */
export function inCode(code: string, more: JsonObject = {}): string {
  return JSON.stringify({ mode: 'code', code, ...more });
}
