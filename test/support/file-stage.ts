import type { AgentOptions } from '../../src/agent/options.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { RunRequest, RunResult } from '../../src/core/run.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/models/scripted.ts';
import { yesPolicy } from './kernel.ts';
import { tree, type Tree } from './tree.ts';

/** An agent with real files and a scripted model. By default, every call is allowed. */
export interface FileStage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
  readonly files: Tree;
  run(skill: string, input?: RunRequest['input'], more?: Partial<RunRequest>): Promise<Played>;
}

/** The result and the recorded activity of a run. */
export interface Played {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** The skills that were executed, in order. */
  readonly called: readonly string[];
  /** The notes that the run wrote for the user. */
  readonly notes: readonly string[];
}

/**
 * Creates a stage with these files. A path without a dot is a skill folder below `skills`, and its text
 * becomes the `SKILL.md`.
 */
export function fileStage(
  given: Readonly<Record<string, string>>,
  script: Script = ['Done.'],
  options: AgentOptions = {},
): FileStage {
  const placed = Object.entries(given).map(([path, text]) => [
    path.includes('.') ? path : `skills/${path}/SKILL.md`,
    text,
  ]);
  const files = tree(Object.fromEntries(placed) as Readonly<Record<string, string>>);
  const model = createScriptedModel(script);
  const agent = new RecursiveSkilledAgent({
    startDir: files.path,
    searchUpwards: false,
    embeddings: false,
    policy: yesPolicy,
    models: model,
    ...options,
  });
  return {
    agent,
    model,
    files,
    async run(skill, input, more = {}) {
      const result = await agent.run({ skill, ...(input === undefined ? {} : { input }), ...more }).result;
      const events = await agent.runs.events(result.runId);
      const called = events.flatMap((event) => (event.type === 'frame.started' ? [event.skill] : []));
      const notes = events.flatMap((event) => (event.type === 'note.added' ? [event.message] : []));
      return { result, events, called, notes };
    },
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      files[Symbol.dispose]();
    },
  };
}

/** Returns the text of a `SKILL.md`. */
export function skillFile(name: string, body: string, head = ''): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${head}---\n${body}`;
}
