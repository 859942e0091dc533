import { placeOfLine } from './find-lines.ts';
import { isBlank, isComment } from './line-kind.ts';
import type { Literal } from '../plan.ts';
import { warningAt } from '../sop-issue.ts';
import type { SopIssue } from '../sop-issue.ts';

/** The lines from one to another as a text without blank lines at its ends; none where all are blank. */
export function readText(
  lines: readonly string[],
  from: number,
  to: number,
  issues: SopIssue[],
): Literal | undefined {
  let [start, end] = [from, to];
  while (start < end && isBlank(lines[start] ?? '')) start++;
  while (start < end && isBlank(lines[end - 1] ?? '')) end--;
  if (start === end) return undefined;

  const taken = lines.slice(start, end);
  const place = placeOfLine(lines, start);
  if (taken.every((line) => isBlank(line) || isComment(line))) {
    issues.push(
      warningAt(
        place,
        'sop.comment-in-text',
        'The comment is an argument of the step above it.',
        'Put it directly above a step, or behind one on its line.',
      ),
    );
  }
  return { kind: 'text', text: taken.join('\n'), place };
}
