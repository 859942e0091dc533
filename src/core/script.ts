import type { Given } from './headed-values.ts';
import type { Issue } from './issue.ts';
import { firstFence } from './markdown.ts';

/** The plan that a script section holds: its text when that starts with a step, comments aside, else its first fence, else the text. */
export function scriptIn(given: Given | undefined, issues: Issue[]): Given | undefined {
  if (given === undefined) return undefined;
  const fence = startsWithStep(given.text) ? undefined : firstFence(given.text);
  const script =
    fence === undefined ? given : { text: fence.content.trimEnd(), line: given.line + fence.line };
  if (script.text.trim() !== '') return script;
  issues.push({
    level: 'warning',
    code: 'script.empty',
    message: 'The script is empty and counts as absent.',
    line: given.line,
    hint: 'Write a plan in it, or remove the section.',
  });
  return undefined;
}

function startsWithStep(text: string): boolean {
  const isComment = (line: string): boolean => line === '' || line.startsWith('#');
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
  return lines.find((line) => !isComment(line))?.startsWith('@') === true;
}
