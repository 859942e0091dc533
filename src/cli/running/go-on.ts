import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { RunEvent, RunHandle } from '../../core/event.ts';
import { hasEnded } from '../../core/run.ts';
import type { RunSummary } from '../../core/store.ts';
import { resultOf } from '../../views/run-result.ts';
import { foldRun } from '../../views/run-tree.ts';
import type { Invocation } from '../command.ts';
import { eventLine } from '../output/json.ts';
import { conclude } from './conclude.ts';
import { followElsewhere } from './follow-elsewhere.ts';
import { missingModel } from './missing-model.ts';
import { mustKnowSkill } from './must-know-skill.ts';
import { seeThrough } from './see-through.ts';

/** What a command line does with a run that began before. */
export interface Continuation {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  /** Something was said to the run. */
  readonly isSaid: boolean;
}

/** Follows a run while another process works on it, then works on it, or tells how it stands; returns the exit code. */
export async function goOn(work: Continuation, run: RunSummary, known: number): Promise<number> {
  const { agent, invocation, isSaid } = work;
  const takeOver = invocation.own['take-over'] === true;
  if (run.status === 'running' && !takeOver) {
    const { tree, known: seen, isStopped } = await followElsewhere(agent, invocation, run, known);
    if (!isStopped) return goOn(work, await agent.runs.find(run.id), seen);
    const result = { ...resultOf(tree), ok: false, status: 'running' } as const;
    return conclude({ result, tree, isToldToEnd: false }, invocation);
  }
  if (!hasEnded(run.status)) mustKnowSkill(agent, invocation, run, isSaid);
  const events = hasEnded(run.status) ? [] : await agent.runs.events(run.id);
  const missing = await missingModel(invocation, events, isSaid);
  const isLeft = run.status === 'waiting' && !isSaid && !isAnybodyHere(invocation);
  if (isLeft && missing !== undefined) return tell(invocation, events);
  if (missing !== undefined) throw missing;
  const isStill = hasEnded(run.status) || run.status === 'waiting';
  return seeThrough({
    agent,
    invocation,
    begin: (signal: AbortSignal): RunHandle => agent.runs.resume(run.id, { signal, takeOver }),
    // Of a run that stands still the last event says how; whoever streams gets that.
    known: isStill && !isSaid ? Math.min(known, run.seq - 1) : known,
  });
}

function isAnybodyHere({ flags, terminal }: Invocation): boolean {
  return terminal.ask !== undefined && !flags.json;
}

/** Prints what a run waits for, and leaves it as it is. */
function tell(invocation: Invocation, events: readonly RunEvent[]): number {
  const { flags, own, terminal } = invocation;
  const tree = foldRun(events);
  const last = events.at(-1);
  const isStreamed = flags.json && own['stream'] === true && last !== undefined;
  if (isStreamed) terminal.out(eventLine(last));
  return conclude({ result: resultOf(tree), tree, isToldToEnd: isStreamed }, invocation);
}
