import type { RunEvent } from '../../src/core/event.ts';
import { foldRun } from '../../src/views/run-tree.ts';
import { lineText, treeLines } from '../../src/views/text-tree.ts';

/** The tree as people see it, without how long things took; the order of the log is that of time. */
export function shownTree(events: readonly RunEvent[]): string {
  const lines = treeLines(foldRun(events.map((event) => ({ ...event, at: event.seq }))), { now: 0 });
  const isAmount = (fact: string): boolean => / tok$|^<?\$/.test(fact);
  return lines.map((line) => `\n${lineText({ ...line, facts: line.facts.filter(isAmount) })}`).join('');
}
