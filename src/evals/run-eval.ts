import { randomBytes } from 'node:crypto';
import type { BareAgent } from '../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../config/defaults.ts';
import { createLimiter, optional, toErrorData, type RunRequest, type RunResult } from '../core/index.ts';
import { foldRun, type TreeNode } from '../views/index.ts';
import { createAnswerer, openEvalAgent, type Answerer } from './agent.ts';
import type { Eval, EvalContext, Turn } from './eval.ts';
import { judgeEval, type Mismatch } from './judge.ts';
import { openEvalModels } from './models.ts';
import { createEvalDatabases, openEvalFolder } from './workspace.ts';

/** Options for running evals. */
interface RunEvalsOptions {
  /** The maximum number of evals that run at the same time. */
  readonly lanes: number;
  /** Whether to stop starting evals after the first failure. */
  readonly bail: boolean;
  /** Called with each result, in the order of the evals. */
  readonly onResult: (result: EvalResult) => void;
}

/**
 * Runs evals concurrently. Resolves to the results of all evals that were started, in the order of `evals`.
 */
export async function runEvals(
  evals: readonly Eval[],
  context: EvalContext,
  { lanes, bail, onResult }: RunEvalsOptions,
): Promise<readonly EvalResult[]> {
  const limiter = createLimiter(lanes);
  const results = new Map<number, EvalResult>();
  let next = 0;
  let isOver = false;
  const work = async (evaluation: Eval, index: number): Promise<void> => {
    if (isOver || context.signal.aborted) return;
    const result = await runEval(evaluation, context);
    results.set(index, result);
    if (bail && !result.ok) isOver = true;
    for (let ready = results.get(next); ready !== undefined; ready = results.get(next)) {
      onResult(ready);
      next++;
    }
  };
  await Promise.all(evals.map((evaluation, index) => limiter.run(() => work(evaluation, index))));
  return evals.flatMap((_, index) => results.get(index) ?? []);
}

/** The result of an eval. */
export interface EvalResult {
  readonly eval: Eval;
  readonly ok: boolean;
  /** The duration of the eval, in milliseconds. */
  readonly milliseconds: number;
  /** The differences from the expectation. Empty if the eval passed. */
  readonly mismatches: readonly Mismatch[];
  /** The ids of the runs, one per turn, in order. */
  readonly runIds: readonly string[];
}

/** Runs one eval with an agent, workspace and memory of its own. Every failure becomes a mismatch. */
async function runEval(evaluation: Eval, context: EvalContext): Promise<EvalResult> {
  const begun = performance.now();
  const runIds: string[] = [];
  const mismatches = await attempt(evaluation, context, runIds).catch(
    (thrown: unknown): readonly Mismatch[] => {
      const { message, hint } = toErrorData(thrown);
      return [{ what: 'case', expected: 'a run', got: message, ...optional('hint', hint) }];
    },
  );
  const milliseconds = Math.round(performance.now() - begun);
  return { eval: evaluation, ok: mismatches.length === 0, milliseconds, mismatches, runIds };
}

async function attempt(
  evaluation: Eval,
  context: EvalContext,
  runIds: string[],
): Promise<readonly Mismatch[]> {
  const usual = defaultPorts();
  using folder = openEvalFolder(evaluation, usual.trustFile);
  await using databases = createEvalDatabases(usual.openDatabase);
  const ports = { ...usual, openDatabase: databases.open };
  const models = await openEvalModels(evaluation, context, { ports, workspace: folder.workspace });
  const agent = openEvalAgent(evaluation, context, { ports, folder, models });
  let isPassed = false;
  try {
    const mismatches = await judgeRun({
      agent,
      eval: evaluation,
      context,
      runIds,
      workspace: folder.workspace,
    });
    isPassed = mismatches.length === 0;
    return mismatches;
  } finally {
    models.end(isPassed);
    await agent.shutdown({ drainMs: 0 });
  }
}

interface EvalRun extends Pick<Turns, 'agent' | 'eval' | 'runIds'> {
  readonly context: EvalContext;
  readonly workspace: string;
}

async function judgeRun(work: EvalRun): Promise<readonly Mismatch[]> {
  const { agent, eval: evaluation, context, runIds, workspace } = work;
  const late = AbortSignal.timeout(evaluation.timeoutSeconds * 1000);
  await agent.ready();
  const behind = codeBehind(agent, evaluation);
  if (behind !== undefined) return [behind];
  const answerer = createAnswerer(agent, evaluation, context.decides);
  const signal = AbortSignal.any([late, context.signal]);
  const result = await takeTurns({ agent, eval: evaluation, answerer, signal, runIds });
  if (late.aborted && result.status === 'cancelled') return [tooLate(evaluation)];
  const calls = await calledIn(agent, [...new Set(runIds)]);
  return judgeEval(evaluation, { result, calls, unusedAnswers: answerer.left, workspace });
}

/**
 * Returns a mismatch if the skill's code is missing or outdated, because running the skill would generate
 * code in its folder.
 */
function codeBehind(agent: BareAgent, { skill }: Eval): Mismatch | undefined {
  const status = agent.inspect(agent.skills.resolve(skill))?.status;
  if (status !== 'due' && status !== 'missing' && status !== 'failed') return undefined;
  return {
    what: 'code',
    expected: 'up to date',
    got: status,
    hint: `Build it first: \`skilled build ${skill}\``,
  };
}

function tooLate({ timeoutSeconds }: Eval): Mismatch {
  const hint = 'Allow more time with "timeoutSeconds".';
  return { what: 'time', expected: `at most ${timeoutSeconds} s`, got: 'it was still running', hint };
}

interface Turns {
  readonly agent: BareAgent;
  readonly eval: Eval;
  readonly answerer: Answerer;
  readonly signal: AbortSignal;
  readonly runIds: string[];
}

/** Runs the turns in order until one of them fails. Returns the last result. */
async function takeTurns({ agent, eval: evaluation, answerer, signal, runIds }: Turns): Promise<RunResult> {
  // The id is unique, so the session contains no earlier runs.
  const session = `test-${randomBytes(6).toString('hex')}`;
  let last: RunResult | undefined;
  for (const turn of evaluation.turns) {
    const handle = agent.run(requestFor(turn, { eval: evaluation, session, signal, last }));
    const result = await answerer.runToEnd(handle, signal);
    runIds.push(result.runId);
    last = result;
    if (result.status !== 'done' && result.status !== 'waiting') break;
  }
  if (last === undefined) throw new Error('An eval must have at least one turn.');
  return last;
}

/**
 * Builds the request for a turn. If the previous turn ended with a question, the request answers that
 * question. Otherwise, it calls the skill.
 */
function requestFor(
  turn: Turn,
  {
    eval: evaluation,
    session,
    signal,
    last,
  }: Pick<Turns, 'eval' | 'signal'> & { readonly session: string; readonly last: RunResult | undefined },
): RunRequest {
  const { skill, roles, limits } = evaluation;
  const isAnswer = last?.question !== undefined;
  return {
    ...turn,
    ...(isAnswer ? {} : { skill }),
    session,
    signal,
    ...optional('user', roles && { roles }),
    ...optional('limits', limits),
  };
}

/**
 * Returns the names of the skills that were called in the runs, depth-first. Excludes the first skill of each
 * run and calls that were refused.
 */
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
