import {
  defineSkill,
  RecursiveSkilledAgent,
  type AgentOptions,
  type Json,
  type ModelRequest,
  type Policy,
  type RunEvent,
  type RunResult,
} from '../../src/index.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/testing/index.ts';
import { tree, type Tree } from '../support/tree.ts';

/** An agent in its own folder, with a scripted model. */
export interface Stage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
  readonly files: Tree;
}

/** Allows everything, so that a test only concerns its subject. */
const yes: Policy = { decide: () => ({ decision: 'allow' }) };

/** Options for the default policy of rules and trust. */
export const rulesAndTrust = { policy: undefined } as unknown as AgentOptions;

/** Creates a stage with these files. The skill `desk` passes its input to its model unchanged. */
export function stage(
  written: Readonly<Record<string, string>>,
  script: Script = [],
  options: AgentOptions = {},
): Stage {
  const files = tree(written);
  const model = createScriptedModel(script);
  const agent = new RecursiveSkilledAgent({
    startDir: files.path,
    searchUpwards: false,
    embeddings: false,
    models: model,
    policy: yes,
    ...options,
    limits: { callSeconds: 120, runSeconds: 120, ...options.limits },
  });
  agent.skills.register(desk);
  return {
    agent,
    model,
    files,
    async [Symbol.asyncDispose]() {
      await agent.shutdown();
      files[Symbol.dispose]();
    },
  };
}

const desk = defineSkill({
  name: 'desk',
  description: 'Talks with a person.',
  instructions: '$ARGUMENTS',
  disableModelInvocation: true,
  maxTicks: 20,
});

/** A finished run, with everything that was recorded about it. */
export interface RecordedRun {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  /** The commands that were started, in order. */
  readonly commands: readonly string[];
  /** The skills that were started, in order. */
  readonly called: readonly string[];
}

/** Runs a skill until it ends or waits. */
export async function runSkill(
  { agent }: Stage,
  request: Parameters<RecursiveSkilledAgent['run']>[0],
): Promise<RecordedRun> {
  const result = await agent.run(request).result;
  const events = await agent.runs.events(result.runId);
  const started = events.filter((event) => event.type === 'frame.started');
  const commands = started.flatMap(({ skill: name, input }) => {
    const command = (input as { command?: unknown } | null)?.command;
    return name === 'bash' && typeof command === 'string' ? [command] : [];
  });
  return { result, events, commands, called: started.map(({ skill: name }) => name) };
}

/** Loads a skill as a conversation does, and returns the text for its model. */
export function load(on: Stage, name: string, input?: Json): Promise<RecordedRun> {
  return runSkill(on, { skill: name, mode: 'load', ...(input === undefined ? {} : { input }) });
}

/** Creates a call of the tool that loads skills. */
export function loading(name: string, args?: Json): { calls: { name: string; input: Json }[] } {
  return { calls: [{ name: 'skill', input: { name, ...(args === undefined ? {} : { args }) } }] };
}

/** Returns the tool results in a model request. */
export function toolTexts(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ text }) => text);
}

/** Returns the user messages in a model request. */
export function userTexts(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'user').map(({ text }) => text);
}

/** Returns the names of the tools in a model request. */
export function toolNames(request: ModelRequest | undefined): readonly string[] {
  return (request?.tools ?? []).map(({ name }) => name);
}
