import type { RunEvent } from '../../src/core/event.ts';
import { foldRun } from '../../src/views/run-tree.ts';
import { lineText, treeLines } from '../../src/views/text-tree.ts';

/** Returns the tree as the CLI prints it, without durations. The log is in chronological order. */
export function shownTree(events: readonly RunEvent[]): string {
  const lines = treeLines(foldRun(events.map((event) => ({ ...event, at: event.seq }))), { now: 0 });
  const isAmount = (fact: string): boolean => / tok$|^<?\$/.test(fact);
  return lines.map((line) => `\n${lineText({ ...line, facts: line.facts.filter(isAmount) })}`).join('');
}
