import { optional } from '../core/optional.ts';
import type { RunResult } from '../core/run.ts';
import type { RunTree } from './run-node.ts';

/** What a run came to so far; `ok` only when it is done. */
export function resultOf(tree: RunTree): RunResult {
  const { runId, status, skill, output, totalUsage } = tree;
  const question = status === 'waiting' ? tree.questions[0] : undefined;
  return {
    ok: status === 'done',
    runId,
    status,
    skill,
    text: output?.text ?? question?.text ?? '',
    ...optional('value', output?.status === 'done' ? output.value : undefined),
    ...optional('variables', output?.status === 'done' ? output.variables : undefined),
    ...optional('question', question),
    usage: totalUsage,
    ...optional('error', output?.status === 'failed' ? output.error : undefined),
  };
}
