import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { isAgentError } from '../../src/core/error.ts';
import type { RunEvent, RunHandle } from '../../src/core/event.ts';
import { isJsonObject, type Json } from '../../src/core/json.ts';
import { hashOf } from '../../src/core/json/normalize.ts';
import type { RunResult } from '../../src/core/run.ts';
import type { Store } from '../../src/core/store.ts';
import type { Incarnation, CrashWork } from '../../src/testing/crash-harness.ts';
import {
  answerTo,
  decisionOn,
  programModel,
  programPolicy,
  programSkills,
  turnsOf,
  type Effect,
  type Instruction,
} from './programs.ts';

/** An effect that happened, and in which process. */
export interface Performed extends Effect {
  readonly incarnation: number;
}

/** A program in a store, and all that it does to the world through one process after another. */
export interface Stage extends CrashWork<RunResult> {
  readonly session: string;
  readonly performed: readonly Performed[];
  /** The steps that had ended before a process began, by its number. */
  readonly endedBefore: ReadonlyMap<number, ReadonlySet<string>>;
  events(): Promise<readonly RunEvent[]>;
}

/** When questions are answered: when nothing else goes on, oldest or newest first, or as soon as they are asked. */
export type Answering = 'late' | 'backwards' | 'at once';

/** What a stage may differ in. */
export interface StageOptions {
  readonly session?: string;
  /** After how many turns of the event loop each process is killed; the one after the last lives. */
  readonly kills?: readonly number[];
  readonly answers?: Answering;
}

let sessions = 0;

/** Sets up a program; nothing runs yet. */
export function createStage(store: Store, program: Instruction, options: StageOptions = {}): Stage {
  const { session = `session ${++sessions}`, kills = [], answers = 'late' } = options;
  const performed: Performed[] = [];
  const endedBefore = new Map<number, ReadonlySet<string>>();
  const events = async (): Promise<readonly RunEvent[]> => {
    const run = await begun(store, session);
    return run === undefined ? [] : readAll(store, run);
  };

  const live = async (incarnation: Incarnation): Promise<RunResult> => {
    const log = await events();
    endedBefore.set(incarnation.number, new Set(log.filter(isStepEnd).map(stepId)));
    const agent = openAgent(incarnation.store, (effect) =>
      incarnation.effect(() => {
        performed.push({ ...effect, incarnation: incarnation.number });
        return comeTo(effect.key);
      }),
    );
    void incarnation.store.crashed.then(() => agent.shutdown({ drainMs: 0 }));
    void killAfter(incarnation, kills[incarnation.number - 1]);
    const result = await finish(agent, session, program, { runId: log[0]?.runId, answers });
    await agent.shutdown();
    return result;
  };
  return { session, performed, endedBefore, events, open: () => store, live };
}

/** An agent that knows the skills of programs and nothing else. */
export function openAgent(store: Store, perform: (effect: Effect) => Promise<Json>): RecursiveSkilledAgent {
  const models = { any: programModel() };
  const policy = programPolicy;
  const sessionConfig = { maxSessions: 0 }; // thousands share a store, and none is to be forgotten
  const agent = new RecursiveSkilledAgent({
    store,
    only: true,
    embeddings: false,
    models,
    policy,
    sessionConfig,
  });
  for (const skill of programSkills({ perform })) agent.skills.register(skill);
  return agent;
}

/** Begins a program, or takes it up, and answers all its questions until it has ended. */
export async function finish(
  agent: RecursiveSkilledAgent,
  session: string,
  program: Instruction,
  options: { readonly runId?: string | undefined; readonly answers?: Answering } = {},
): Promise<RunResult> {
  const { runId, answers = 'late' } = options;
  const awaitResult = async (handle: RunHandle): Promise<RunResult> => {
    if (answers === 'at once') void answerAtOnce(agent, handle);
    return handle.result;
  };
  const first = runId === undefined ? agent.run({ skill: 'program', input: program, session }) : undefined;
  const id = runId ?? first?.id ?? '';
  for (let result = first && (await awaitResult(first)); ;) {
    const { status } = result ?? (await agent.runs.result(id));
    if (status === 'done' || status === 'failed' || status === 'cancelled') return agent.runs.result(id);
    if (status === 'waiting') await answerAll(agent, id, answers === 'backwards');
    result = await awaitResult(agent.runs.resume(id, { takeOver: true }));
    assert.notEqual(result.status, 'running', JSON.stringify(result));
  }
}

/** What an effect gives, after some turns of the event loop; depends on nothing but its key. */
export async function comeTo(key: string): Promise<Json> {
  for (let turns = turnsOf(key); turns > 0; turns--) await turn();
  if (/^d/.test(key)) throw new Error(`"${key}" does not work.`);
  return { made: key };
}

/** All events of a run. */
export async function readAll(store: Store, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId)) events.push(event);
  return events;
}

/** Whether an effect ended with this event. */
export function isStepEnd(event: RunEvent): event is RunEvent & { type: 'step.ended' } {
  return event.type === 'step.ended' && event.key.startsWith('step:');
}

/** The name of a step, the same in every process. */
export function stepId({ frameId, key }: { readonly frameId: string; readonly key: string }): string {
  return `${frameId}/${key.replace(/^step:/, '')}`;
}

async function begun(store: Store, session: string): Promise<string | undefined> {
  const runs = await store.runs({ session });
  return runs.find(({ seq }) => seq > 0)?.id;
}

/** Answers what is open, and what was answered before; a frame that has ended asks nobody any more. */
async function answerAll(agent: RecursiveSkilledAgent, runId: string, isBackwards: boolean): Promise<void> {
  const asked = (await agent.runs.events(runId)).filter(isQuestion);
  for (const question of isBackwards ? asked.toReversed() : asked) await answer(agent, question);
}

/** Answers everything as soon as it is asked. */
async function answerAtOnce(agent: RecursiveSkilledAgent, { events }: RunHandle): Promise<void> {
  for await (const event of events) if (isQuestion(event)) void answer(agent, event);
}

async function answer(agent: RecursiveSkilledAgent, event: QuestionEvent): Promise<void> {
  const given = event.type === 'input.requested' ? answerTo(event.question.text) : decisionOn(event.asks);
  await agent.runs.answer(event.runId, given, event.id).catch((thrown: unknown) => {
    if (!isAgentError(thrown)) throw thrown;
    const { code, details } = thrown;
    const isAnswered = isJsonObject(details) && details['answered'] === event.id;
    if (!isAnswered && code !== 'usage.not-found') throw thrown;
  });
}

type QuestionEvent = RunEvent & { readonly type: 'input.requested' | 'approval.requested' };

function isQuestion(event: RunEvent): event is QuestionEvent {
  return event.type === 'input.requested' || event.type === 'approval.requested';
}

async function killAfter({ store }: Incarnation, turns: number | undefined): Promise<void> {
  if (turns === undefined) return;
  for (let count = turns; count > 0 && !store.isDead; count--) await turn();
  store.kill();
}

/** A short name for a program, for messages. */
export function nameOf(program: Instruction): string {
  return `${hashOf(program).slice(0, 8)} ${JSON.stringify(program)}`;
}
