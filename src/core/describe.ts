import type { Bundle } from './bundle.ts';
import { fitDescription } from './card.ts';
import { derived } from './headed.ts';
import type { Issue } from './issue.ts';

/** A description made up from a body: its first line that is no heading, else its first heading; empty when it has no text. */
export function describeFromBody(bundle: Bundle, issues: Issue[]): string {
  const lines = bundle.body.split('\n').map((line) => line.trim());
  const isText = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);
  const prose = lines.findIndex(
    (line) => isText(line) && !line.startsWith('#') && !/^(?:```|~~~|<!--)/.test(line),
  );
  const index = prose >= 0 ? prose : lines.findIndex((line) => isText(line) && line.startsWith('#'));
  const line = lines[index];
  if (line === undefined) return '';
  const at = bundle.head.bodyLine + index;
  issues.push(derived(prose >= 0 ? 'the first line of the body' : 'the first heading', at));
  const text = line
    .replace(/^#+\s*/, '')
    .replace(/^(?:[-*+>]\s+)+/, '')
    .replace(/(\*\*|__)(.+?)\1/g, '$2')
    .trim();
  return fitDescription(text, issues, at);
}
