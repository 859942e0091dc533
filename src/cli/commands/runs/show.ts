import { optional } from '../../../core/collections.ts';
import type { RunSummary } from '../../../core/store.ts';
import { usageOf, type RunUsage } from '../../../views/usage.ts';
import { resultOf } from '../../../views/run-result.ts';
import { foldRun } from '../../../views/run-tree.ts';
import type { RunTree } from '../../../views/run-node.ts';
import type { Invocation } from '../../command.ts';
import { findRun } from '../../find-run.ts';
import { failuresIn } from '../../output/failures.ts';
import { printJson } from '../../output/json.ts';
import { runJson } from '../../output/run.ts';
import { describeRun } from '../../output/run-description.ts';
import { isForeignRun, mustRead } from '../../run-store.ts';
import { waitingLines } from '../../running/question-text.ts';
import { mustNameOne } from './must-name.ts';

/** What one run came to: result, question, use, counts, and where it failed. */
export async function showRun(invocation: Invocation): Promise<number> {
  const { flags, words, terminal } = invocation;
  const word = mustNameOne(words, 'show');
  await using agent = mustRead(invocation, word);
  const run = await findRun(agent, word);
  const events = await agent.runs.events(run.id);
  const tree = foldRun(events);
  const usage = usageOf(events);
  if (flags.json) printJson(terminal, { ok: true, run: documentOf(run, tree, usage) });
  else {
    terminal.out(describeRun(run, tree, usage, terminal));
    const isHistory = await isForeignRun(flags, run.id);
    const lines = isHistory ? [] : waitingLines(run.id, tree.questions, invocation);
    if (lines.length > 0) terminal.out(`\n${lines.join('\n')}\n`);
  }
  return 0;
}

function documentOf(run: RunSummary, tree: RunTree, usage: RunUsage): Record<string, unknown> {
  const { text, value, variables, question, error } = resultOf(tree);
  return {
    ...runJson(run),
    ...optional('prompt', tree.prompt),
    input: tree.input,
    text,
    ...optional('value', value),
    ...optional('variables', variables),
    ...optional('question', question),
    ...optional('error', error),
    ...optional('rerunOf', tree.rerunOf),
    counts: tree.counts,
    usage,
    failures: failuresIn(tree),
  };
}
