import { randomBytes } from 'node:crypto';
import type { BareAgent } from '../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../config/defaults.ts';
import { createLimiter, optional, toErrorData, type RunRequest, type RunResult } from '../core/index.ts';
import { foldRun, type TreeNode } from '../views/index.ts';
import { createAnswerer, openTrialAgent, type Answerer } from './agent.ts';
import type { Eval, TrialGround, Turn } from './eval.ts';
import { judgeTrial, type Mismatch } from './judge.ts';
import { openTrialModels } from './models.ts';
import { createTrialDatabases, openTrialPlace } from './workspace.ts';

/** How cases are run together. */
interface TrialsOptions {
  /** How many at once. */
  readonly lanes: number;
  /** Begin no other once one has failed. */
  readonly bail: boolean;
  /** Hears each result, in the order of the cases. */
  readonly onResult: (result: TrialResult) => void;
}

/** Runs cases beside each other; resolves with the results of those that were begun, in the order of the cases. */
export async function runTrials(
  trials: readonly Eval[],
  ground: TrialGround,
  { lanes, bail, onResult }: TrialsOptions,
): Promise<readonly TrialResult[]> {
  const limiter = createLimiter(lanes);
  const results = new Map<number, TrialResult>();
  let told = 0;
  let isOver = false;
  const work = async (trial: Eval, index: number): Promise<void> => {
    if (isOver || ground.signal.aborted) return;
    const result = await runTrial(trial, ground);
    results.set(index, result);
    if (bail && !result.ok) isOver = true;
    for (let ready = results.get(told); ready !== undefined; ready = results.get(told)) {
      onResult(ready);
      told++;
    }
  };
  await Promise.all(trials.map((trial, index) => limiter.run(() => work(trial, index))));
  return trials.flatMap((_, index) => results.get(index) ?? []);
}

/** How a case ended. */
export interface TrialResult {
  readonly trial: Eval;
  readonly ok: boolean;
  /** How long it took. */
  readonly milliseconds: number;
  /** Empty when it passed. */
  readonly mismatches: readonly Mismatch[];
  /** One for each turn, in order. */
  readonly runIds: readonly string[];
}

/** Runs one case in an agent, a workspace and a memory of its own; whatever goes wrong is a mismatch. */
async function runTrial(trial: Eval, ground: TrialGround): Promise<TrialResult> {
  const begun = performance.now();
  const runIds: string[] = [];
  const mismatches = await attempt(trial, ground, runIds).catch((thrown: unknown): readonly Mismatch[] => {
    const { message, hint } = toErrorData(thrown);
    return [{ what: 'case', expected: 'a run', got: message, ...optional('hint', hint) }];
  });
  const milliseconds = Math.round(performance.now() - begun);
  return { trial, ok: mismatches.length === 0, milliseconds, mismatches, runIds };
}

async function attempt(trial: Eval, ground: TrialGround, runIds: string[]): Promise<readonly Mismatch[]> {
  const usual = defaultPorts();
  using place = openTrialPlace(trial, usual.trustFile);
  await using databases = createTrialDatabases(usual.openDatabase);
  const ports = { ...usual, openDatabase: databases.open };
  const models = await openTrialModels(trial, ground, { ports, workspace: place.workspace });
  const agent = openTrialAgent(trial, ground, { ports, place, models });
  let isPassed = false;
  try {
    const mismatches = await judgeRun({ agent, trial, ground, runIds, workspace: place.workspace });
    isPassed = mismatches.length === 0;
    return mismatches;
  } finally {
    models.end(isPassed);
    await agent.shutdown({ drainMs: 0 });
  }
}

interface TrialWork extends Pick<Turns, 'agent' | 'trial' | 'runIds'> {
  readonly ground: TrialGround;
  readonly workspace: string;
}

async function judgeRun(work: TrialWork): Promise<readonly Mismatch[]> {
  const { agent, trial, ground, runIds, workspace } = work;
  const late = AbortSignal.timeout(trial.timeoutSeconds * 1000);
  await agent.ready();
  const behind = codeBehind(agent, trial);
  if (behind !== undefined) return [behind];
  const answerer = createAnswerer(agent, trial, ground.decides);
  const signal = AbortSignal.any([late, ground.signal]);
  const result = await takeTurns({ agent, trial, answerer, signal, runIds });
  if (late.aborted && result.status === 'cancelled') return [tooLate(trial)];
  const calls = await calledIn(agent, [...new Set(runIds)]);
  return judgeTrial(trial, { result, calls, unusedAnswers: answerer.left, workspace });
}

/** Code that is not what its specs say would be made by the run, in the folder of the skill. */
function codeBehind(agent: BareAgent, { skill }: Eval): Mismatch | undefined {
  const status = agent.inspect(agent.skills.resolve(skill))?.status;
  if (status !== 'due' && status !== 'missing' && status !== 'failed') return undefined;
  return {
    what: 'code',
    expected: 'up to date',
    got: status,
    hint: `Make it first: \`skilled build ${skill}\``,
  };
}

function tooLate({ timeoutSeconds }: Eval): Mismatch {
  const hint = 'Give it more with "timeoutSeconds".';
  return { what: 'time', expected: `at most ${timeoutSeconds} s`, got: 'it went on', hint };
}

interface Turns {
  readonly agent: BareAgent;
  readonly trial: Eval;
  readonly answerer: Answerer;
  readonly signal: AbortSignal;
  readonly runIds: string[];
}

/** What the last turn came to; a turn that fails is not followed by another. */
async function takeTurns({ agent, trial, answerer, signal, runIds }: Turns): Promise<RunResult> {
  const session = `test-${randomBytes(6).toString('hex')}`; // no other run of a kept store is in it
  let last: RunResult | undefined;
  for (const turn of trial.turns) {
    const handle = agent.run(requestFor(turn, { trial, session, signal, last }));
    const result = await answerer.seeThrough(handle, signal);
    runIds.push(result.runId);
    last = result;
    if (result.status !== 'done' && result.status !== 'waiting') break;
  }
  if (last === undefined) throw new Error('A case has at least one turn.');
  return last;
}

/** Words that follow a question are its answer, as in a conversation; everything else is for the skill. */
function requestFor(
  turn: Turn,
  {
    trial,
    session,
    signal,
    last,
  }: Pick<Turns, 'trial' | 'signal'> & { readonly session: string; readonly last: RunResult | undefined },
): RunRequest {
  const { skill, roles, limits } = trial;
  const isAnswer = last?.question !== undefined;
  return {
    ...turn,
    ...(isAnswer ? {} : { skill }),
    session,
    signal,
    ...optional('roles', roles),
    ...optional('limits', limits),
  };
}

/** The skills that were called in runs, of every depth and in the order of the tree, without the first of each run; refused calls are none. */
async function calledIn(agent: BareAgent, runIds: readonly string[]): Promise<readonly string[]> {
  const calls: string[] = [];
  for (const runId of runIds) {
    const { children } = foldRun(await agent.runs.events(runId));
    for (const first of children) if (first.kind === 'frame') calls.push(...first.children.flatMap(namesIn));
  }
  return calls;
}

function namesIn(node: TreeNode): readonly string[] {
  return node.kind === 'refused' ? [] : [node.skill, ...node.children.flatMap(namesIn)];
}
