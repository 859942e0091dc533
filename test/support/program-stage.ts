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

/** A performed effect, with the number of the process that performed it. */
export interface Performed extends Effect {
  readonly incarnation: number;
}

/** A program in a store, and all effects that its successive processes performed. */
export interface Stage extends CrashWork<RunResult> {
  readonly session: string;
  readonly performed: readonly Performed[];
  /** The steps that had ended before each process started, keyed by the process's number. */
  readonly endedBefore: ReadonlyMap<number, ReadonlySet<string>>;
  events(): Promise<readonly RunEvent[]>;
}

/**
 * When questions are answered: once the run is waiting, oldest first (`late`) or newest first (`backwards`),
 * or as soon as they are asked.
 */
export type Answering = 'late' | 'backwards' | 'at once';

/** Options of a stage. */
export interface StageOptions {
  readonly session?: string;
  /**
   * The number of event loop turns after which each process is killed. Processes beyond the list are not
   * killed.
   */
  readonly kills?: readonly number[];
  readonly answers?: Answering;
}

let sessions = 0;

/** Sets up a program without running it. */
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

/** Creates an agent that has only the skills of the test programs. */
export function openAgent(store: Store, perform: (effect: Effect) => Promise<Json>): RecursiveSkilledAgent {
  const models = { any: programModel() };
  const policy = programPolicy;
  const sessionConfig = { maxSessions: 0 }; // thousands of sessions share a store, and none may be removed
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

/** Starts or resumes a program and answers all its questions until it ends. */
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

/** Returns an effect's result after some turns of the event loop. The result depends only on the key. */
export async function comeTo(key: string): Promise<Json> {
  for (let turns = turnsOf(key); turns > 0; turns--) await turn();
  if (/^d/.test(key)) throw new Error(`"${key}" does not work.`);
  return { made: key };
}

/** Reads all events of a run. */
export async function readAll(store: Store, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.read(runId)) events.push(event);
  return events;
}

/** Returns whether the event is the end of a step. */
export function isStepEnd(event: RunEvent): event is RunEvent & { type: 'step.ended' } {
  return event.type === 'step.ended' && event.key.startsWith('step:');
}

/** Returns a step's id, which is the same in every process. */
export function stepId({ frameId, key }: { readonly frameId: string; readonly key: string }): string {
  return `${frameId}/${key.replace(/^step:/, '')}`;
}

async function begun(store: Store, session: string): Promise<string | undefined> {
  const runs = await store.runs({ session });
  return runs.find(({ seq }) => seq > 0)?.id;
}

/** Answers all open questions, including those answered before. Questions of ended frames are skipped. */
async function answerAll(agent: RecursiveSkilledAgent, runId: string, isBackwards: boolean): Promise<void> {
  const asked = (await agent.runs.events(runId)).filter(isQuestion);
  for (const question of isBackwards ? asked.toReversed() : asked) await answer(agent, question);
}

/** Answers each question as soon as it is asked. */
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

/** Returns a short name of a program for messages. */
export function nameOf(program: Instruction): string {
  return `${hashOf(program).slice(0, 8)} ${JSON.stringify(program)}`;
}
