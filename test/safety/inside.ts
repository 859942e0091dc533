import type { AgentOptions } from '../../src/agent/options.ts';
import { createScriptedModel, type ScriptedReply } from '../../src/models/scripted.ts';
import { toolTexts } from '../support/loop-stage.ts';
import type { Attempt } from './attempts/attempt.ts';
import type { EntryPoint } from './entry-points.ts';
import type { Stage } from './stage.ts';
import { runSkill, type RecordedRun } from './report.ts';

/** The messages to a model that follows the text of a skill. */
export interface Inside extends RecordedRun {
  readonly entryPoint: EntryPoint;
  /** The text of the skill, if it was loaded. */
  readonly text: string;
  /** The reply to each attempt, in order. */
  readonly replies: readonly string[];
}

const atOnce = 8;
const honest: Attempt = { name: 'read', input: { file_path: 'inside.txt' } };

/**
 * Lets a model make calls in a skill that runs on its own, and in one that is loaded into the conversation of
 * `witness`.
 */
export async function tryInside(
  stage: Stage,
  skill: string,
  attempts: readonly Attempt[],
  options: AgentOptions,
): Promise<readonly Inside[]> {
  const all: Inside[] = [];
  for (const entryPoint of ['load', 'call'] as const) {
    const load: ScriptedReply = { calls: [{ name: 'skill', input: { name: skill } }] };
    const turns = turnsOf(attempts);
    const attempted = turns.flatMap(({ calls = [] }) => calls);
    const models = createScriptedModel([...(entryPoint === 'load' ? [load] : []), ...turns, 'Done.']);
    await using agent = stage.agent({ models, ...options });
    const recorded = await runSkill(agent, { skill: entryPoint === 'load' ? 'witness' : skill });
    const last = models.requests.at(-1);
    const texts = [...(entryPoint === 'load' ? [] : [last?.messages[0]?.text ?? '']), ...toolTexts(last)];
    const [text = '', ...replies] = texts;
    all.push({
      ...recorded,
      entryPoint,
      text,
      replies: replies.filter((_, index) => attempted[index] !== honest),
    });
  }
  return all;
}

/** Puts some calls in each turn and an honest one at the end, because a loop with only failures is stopped. */
function turnsOf(attempts: readonly Attempt[]): readonly ScriptedReply[] {
  const turns = Math.ceil(attempts.length / atOnce);
  return Array.from({ length: turns }, (_, turn) => {
    const calls = attempts.slice(turn * atOnce, (turn + 1) * atOnce);
    return { calls: [...calls, honest] };
  });
}
