import { toolNames } from '../../core/model/tool-names.ts';
import type { Submission } from './submit.ts';
import type { LoopTool } from './tools.ts';

/** The tools of a loop, or what says which they are by now. */
export type ToolChoice = readonly LoopTool[] | (() => readonly LoopTool[] | Promise<readonly LoopTool[]>);

/** The tools of each step: the same list for as long as nothing changed, and `submit` behind them, whose name is its own. */
export function offeredTools(
  choice: ToolChoice,
  submission: Submission | undefined,
): () => Promise<readonly LoopTool[]> {
  let given: readonly LoopTool[] | undefined;
  let offered: readonly LoopTool[] = [];
  return async () => {
    const now = typeof choice === 'function' ? await choice() : choice;
    if (given === undefined || !isSame(now, given)) {
      offered = submission === undefined ? now : [...besides(submission.tool.name, now), submission.tool];
    }
    given = now;
    return offered;
  };
}

function isSame(one: readonly LoopTool[], other: readonly LoopTool[]): boolean {
  return one === other || (one.length === other.length && one.every((tool, index) => tool === other[index]));
}

/** Tools of which one that has a name that is taken gets another. */
function besides(taken: string, tools: readonly LoopTool[]): readonly LoopTool[] {
  const names = toolNames([taken, ...tools.map(({ name }) => name)]).slice(1);
  return tools.map((tool, index) => {
    const { [index]: name = tool.name } = names;
    return name === tool.name ? tool : { ...tool, name };
  });
}
