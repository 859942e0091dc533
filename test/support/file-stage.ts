import type { AgentOptions } from '../../src/agent/options.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { RunRequest, RunResult } from '../../src/core/run.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/models/scripted.ts';
import { yesPolicy } from './kernel.ts';
import { tree, type Tree } from './tree.ts';

/** An agent over real files, whose model follows a script; everything is allowed unless the options say otherwise. */
export interface FileStage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
  readonly files: Tree;
  run(skill: string, input?: RunRequest['input'], more?: Partial<RunRequest>): Promise<Played>;
}

/** What a run came to. */
export interface Played {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** The skills that were really called, in order. */
  readonly called: readonly string[];
  /** What was noted for people. */
  readonly notes: readonly string[];
}

/** A stage over these files; a path without a dot is the folder of a SKILL.md below `skills`. */
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

/** The text of a SKILL.md. */
export function skillFile(name: string, body: string, head = ''): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${head}---\n${body}`;
}
