import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentOptions } from '../../src/agent/options.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { defineSkill, type SkillSpec } from '../../src/core/define-skill.ts';
import type { ErrorData } from '../../src/core/error.ts';
import type { EventBody, EventType, RunEvent } from '../../src/core/event.ts';
import { defineFamily, type Family, type FamilySpec } from '../../src/core/family.ts';
import type { Json } from '../../src/core/json.ts';
import type { Policy } from '../../src/core/policy.ts';
import type { Output, RunResult } from '../../src/core/run.ts';
import type { Scope } from '../../src/core/scope.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { bundled } from './bundled.ts';
import { minute } from './deadline.ts';
import { tree } from './tree.ts';

export { settled, until } from './deadline.ts';
export { textOf } from './text-of.ts';

/** The `run` function of a test skill. */
export type Run = (input: Json, scope: Scope) => Promise<Output> | Output;

/** A test skill: its `run` function, or any part of its specification. */
export type TestSkill = Run | Partial<SkillSpec<never>>;

/**
 * Creates an agent with these skills, keyed by name. Calls may take two minutes, and every call of a skill
 * that the host defined is allowed.
 */
export function agentWith(
  skills: Readonly<Record<string, TestSkill>>,
  options: AgentOptions = {},
): RecursiveSkilledAgent {
  const limits = { callSeconds: 120, runSeconds: 120, ...options.limits };
  const models = { model: () => undefined }; // no models, even if the environment contains API keys
  const agent = new RecursiveSkilledAgent({ embeddings: false, models, ...options, limits });
  for (const [name, skill] of Object.entries(skills)) {
    const parts = typeof skill === 'function' ? { run: skill } : skill;
    agent.skills.register(defineSkill({ name, description: `Does ${name}.`, ...(parts as { run: Run }) }));
  }
  return agent;
}

/** Returns a third-party family whose files are named FLOW.md. The whole body is the definition. */
export function flowFamily(more: Partial<FamilySpec<string, unknown>> = {}): Family {
  return defineFamily<string, unknown>({
    id: 'flow',
    label: 'Flow',
    descriptor: { file: 'FLOW.md' },
    parse(bundle) {
      const name = bundle.head.fields.get('name');
      const definition = bundle.body.trim();
      return {
        name: typeof name === 'string' ? name : '',
        card: { description: 'A flow.' },
        definition,
        issues: [],
      };
    },
    execute: async (prepared) => done(String(prepared)),
    ...more,
  });
}

/** Returns options for an agent that finds the flows below a folder. */
export function flowsIn(startDir: string, family: Family): AgentOptions {
  return { startDir, searchUpwards: false, families: [...builtinFamilies, family], policy: yesPolicy };
}

/** Returns the text of a FLOW.md. */
export function flowText(name: string, body: string): string {
  return `---\nname: ${name}\n---\n\n${body}\n`;
}

export const yesPolicy: Policy = { decide: () => ({ decision: 'allow' }) };

/** Returns a policy that asks about these skills, each with its own rule, and allows all others. */
export function askAbout(...names: readonly string[]): Policy {
  return {
    decide: ({ skill }) =>
      names.includes(skill)
        ? { decision: 'ask', reason: 'It matters.', rule: `Skill(${skill})` }
        : { decision: 'allow' },
  };
}

export function done(text = 'ok', value?: Json): Output {
  return { status: 'done', text, ...(value === undefined ? {} : { value }) };
}

/** Returns an output's text, or the error code if it failed. */
export function said(output: Output): string {
  return output.status === 'done' ? output.text : output.error.code;
}

/** Returns the value of a run. Throws if the run is not done. */
export function valueOf(result: RunResult): Json | undefined {
  if (result.status !== 'done') throw new Error(`the run is ${result.status}: ${codeOf(result)}`);
  return result.value;
}

export function codeOf({ error }: { readonly error?: ErrorData }): string {
  return error?.code ?? '';
}

/** Returns the events of one type, in order. */
export function ofType<Type extends EventType>(
  events: readonly RunEvent[],
  type: Type,
): readonly (RunEvent & Extract<EventBody, { type: Type }>)[] {
  return events.filter(
    (event): event is RunEvent & Extract<EventBody, { type: Type }> => event.type === type,
  );
}

/** Rejects when the signal aborts, and never settles otherwise. */
export function hang(signal?: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

/** The outcome of a program in its own process, which is killed if it runs longer than a minute. */
export interface Ended {
  /** Null if the process was killed. */
  readonly exitCode: number | null;
  readonly output: string;
}

/**
 * Runs the body of a program in its own process. The body can use `agentWith`, `done`, `hang`, `textOf`,
 * `until`, `collect`, `createScriptedModel` and `createMemoryStore`.
 */
export async function runProgram(body: string): Promise<Ended> {
  const parts = pathToFileURL(await bundled(join(import.meta.dirname, 'program-parts.ts'))).href;
  const names = 'agentWith, done, hang, textOf, until, collect, createScriptedModel, createMemoryStore';
  using files = tree({ 'program.mjs': `import { ${names} } from ${JSON.stringify(parts)};\n${body}\n` });
  const child = spawn(process.execPath, [files.at('program.mjs')], {
    timeout: minute,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output += data.toString()));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, output };
}
