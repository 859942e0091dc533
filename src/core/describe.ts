import type { Bundle } from './bundle.ts';
import { fitDescription } from './card.ts';
import { derived } from './headed.ts';
import type { Issue } from './issue.ts';

/** A description made up from a body: its first line that is no heading, else its first heading, else its code; empty without text. */
export function describeFromBody(bundle: Bundle, issues: Issue[]): string {
  const raw = bundle.body.split('\n').map((line) => line.trim());
  const visible = visibleLines(raw);
  const prose = visible.findIndex((line) => isText(line) && !line.startsWith('#'));
  const heading = visible.findIndex(isText);
  const code = raw.findIndex((line) => isText(line) && opening.exec(line) === null);
  const index = [prose, heading, code].find((found) => found >= 0);
  if (index === undefined) return '';
  const at = bundle.head.bodyLine + index;
  issues.push(
    derived(index === heading && index !== prose ? 'the first heading' : 'the first line of the body', at),
  );
  const text = (raw[index] ?? '')
    .replace(/^#+\s*/, '')
    .replace(/^(?:[-*+>]\s+)+/, '')
    .replace(/(\*\*|__)(.+?)\1/g, '$2')
    .trim();
  return fitDescription(text, issues, at);
}

const opening = /^(?:```|~~~|<!--)/;

function isText(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line);
}

/** The lines with those of code fences and comments blank. */
function visibleLines(lines: readonly string[]): readonly string[] {
  let end: string | undefined;
  return lines.map((line) => {
    if (end !== undefined) {
      if (end === '-->' ? line.includes(end) : line.startsWith(end)) end = undefined;
      return '';
    }
    const start = opening.exec(line)?.[0];
    if (start === undefined) return line;
    if (start !== '<!--') end = start;
    else if (!line.includes('-->')) end = '-->';
    return '';
  });
}
