import type { Mismatch } from './mismatch.ts';
import type { TextExpectation } from './trial.ts';

/** Where a text is not what is expected. */
export function compareText(what: string, expected: TextExpectation, got: string): readonly Mismatch[] {
  const { equals, contains = [], matches } = expected;
  const faults: Mismatch[] = [];
  if (equals !== undefined && equals !== got) faults.push(difference(what, equals, got));
  for (const part of contains)
    if (!got.includes(part))
      faults.push({ what, expected: `contains ${JSON.stringify(part)}`, got: shown(got) });
  if (matches !== undefined && !matches.test(got))
    faults.push({ what, expected: `matches /${matches.source}/`, got: shown(got) });
  return faults;
}

/** Of texts of several lines only the first line that differs, since the others hide it. */
function difference(what: string, expected: string, got: string): Mismatch {
  const [wanted, found] = [expected.split('\n'), got.split('\n')];
  if (wanted.length === 1 && found.length === 1) return { what, expected: shown(expected), got: shown(got) };
  const at = wanted.findIndex((line, index) => line !== found[index]);
  const line = at < 0 ? wanted.length : at;
  const place = `line ${line + 1}: `;
  const lineIn = (lines: readonly string[]): string =>
    line < lines.length ? shown(lines[line] ?? '') : 'nothing';
  return { what, expected: `${place}${lineIn(wanted)}`, got: `${place}${lineIn(found)}` };
}

const mostShown = 500; // characters

function shown(text: string): string {
  const whole = JSON.stringify(text);
  return whole.length > mostShown ? `${whole.slice(0, mostShown).toWellFormed()}…` : whole;
}
