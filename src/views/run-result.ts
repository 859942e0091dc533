import { isJsonObject } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import type { RunResult } from '../core/run.ts';
import type { Branch, RunTree } from './run-node.ts';

/** What a run came to so far; `ok` only when it is done. */
export function resultOf(tree: RunTree): RunResult {
  const { runId, status, skill, output, totalUsage } = tree;
  const question = status === 'waiting' ? tree.questions[0] : undefined;
  const changed = [...new Set(changedIn(tree))].sort();
  return {
    ok: status === 'done',
    runId,
    status,
    skill,
    text: output?.text ?? question?.text ?? '',
    ...optional('value', output?.status === 'done' ? output.value : undefined),
    ...optional('variables', output?.status === 'done' ? output.variables : undefined),
    ...optional('question', question),
    ...optional('changedPrograms', changed.length === 0 ? undefined : changed),
    usage: totalUsage,
    ...optional('error', output?.status === 'failed' ? output.error : undefined),
  };
}

/** Files that people run later, as the notes of all calls name them. */
function changedIn({ notes, children }: Pick<Branch, 'notes' | 'children'>): readonly string[] {
  const own = notes.flatMap(({ data }) => {
    const files = isJsonObject(data) ? data['changedPrograms'] : undefined;
    return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
  });
  return [...own, ...children.flatMap((child) => ('notes' in child ? changedIn(child) : []))];
}
