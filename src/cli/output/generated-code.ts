import type { Issue, Made, MadeFile } from '../../core/index.ts';
import { describeIssue } from '../../doctor/report.ts';
import { issueJson } from './print.ts';
import type { Color } from './status.ts';
import { oneLine, padTo, widthOf } from './text.ts';

/** What a listing says of a skill whose code is not as it should be. */
interface MadeMark {
  readonly text: string;
  readonly color: Color;
  /** It cannot run, or not as it was meant to: nothing else is worth saying before. */
  readonly isGrave: boolean;
}

const marks: Readonly<Record<Made['status'], MadeMark | undefined>> = {
  failed: { text: 'generation failed', color: 'red', isGrave: true },
  missing: { text: 'no code', color: 'red', isGrave: true },
  drifted: { text: 'edited by hand', color: 'yellow', isGrave: false },
  due: { text: 'to be generated', color: 'yellow', isGrave: false },
  current: undefined,
  own: undefined,
};

/** Nothing where all is well. */
export function markOf(made: Made | undefined): MadeMark | undefined {
  return made === undefined ? undefined : marks[made.status];
}

const states: Readonly<Record<Made['status'], string>> = {
  failed: 'could not be generated',
  missing: 'is missing',
  drifted: 'was edited by hand',
  due: 'is to be generated',
  current: 'is up to date',
  own: 'was written by hand',
};

const fileStates: Readonly<Record<MadeFile['status'], string>> = {
  current: 'up to date',
  due: 'to be generated',
  drifted: 'edited by hand',
  own: 'written by hand',
};

const shortDigest = 12;

/** How the code of a skill stands, file by file, in lines that are safe to print. */
export function madeLines({ status, files, issues }: Made): readonly string[] {
  const rows = files.map(({ path, from, status: state, digest }) => [
    oneLine(path),
    from === undefined ? '' : `from ${oneLine(from)}`,
    fileStates[state],
    digest?.replace(/^sha256:/, '').slice(0, shortDigest) ?? '',
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => widthOf(row[column] ?? ''))));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => padTo(cell, widths[column] ?? 0))
      .filter((_, column) => widths[column] !== 0)
      .join('  '),
  );
  return [
    `Code: ${states[status]}`,
    ...lines.map((line) => `  ${line.trimEnd()}`),
    ...issueLines(files, issues).map((line) => `  ${oneLine(line)}`),
  ];
}

/** What the table of files does not say yet; where it says all, only what to do next. */
function issueLines(files: Made['files'], issues: Made['issues']): readonly string[] {
  const isShown = ({ level, file = '' }: Issue): boolean =>
    level === 'info' && files.some(({ path }) => file.endsWith(`/${path}`));
  const others = issues.filter((issue) => !isShown(issue));
  if (others.length > 0) return others.map(describeIssue);
  return [...new Set(issues.flatMap(({ hint = [] }) => hint))];
}

/** How the code of a skill stands, as `show --json` prints it. */
export function madeJson({ status, files, issues }: Made): Record<string, unknown> {
  return { status, files, issues: issues.map(issueJson) };
}
