import type { Issue, GeneratedCode, GeneratedFile } from '../../core/index.ts';
import { describeIssue } from '../../doctor/report.ts';
import { issueJson } from './print.ts';
import type { Color } from './status.ts';
import { oneLine, padTo, widthOf } from './text.ts';

/** A note, shown in a list of skills, about generated code that needs attention. */
interface StatusMark {
  readonly text: string;
  readonly color: Color;
  /** Whether the skill cannot run as intended. Such a note takes precedence over any other note. */
  readonly isGrave: boolean;
}

const marks: Readonly<Record<GeneratedCode['status'], StatusMark | undefined>> = {
  failed: { text: 'generation failed', color: 'red', isGrave: true },
  missing: { text: 'no code', color: 'red', isGrave: true },
  drifted: { text: 'edited by hand', color: 'yellow', isGrave: false },
  due: { text: 'to be generated', color: 'yellow', isGrave: false },
  current: undefined,
  own: undefined,
};

/** Returns the note for a listing, or undefined if the code needs no attention. */
export function markOf(generated: GeneratedCode | undefined): StatusMark | undefined {
  return generated === undefined ? undefined : marks[generated.status];
}

const states: Readonly<Record<GeneratedCode['status'], string>> = {
  failed: 'generation failed',
  missing: 'missing',
  drifted: 'edited by hand',
  due: 'needs to be generated',
  current: 'up to date',
  own: 'written by hand',
};

const fileStates: Readonly<Record<GeneratedFile['status'], string>> = {
  current: 'up to date',
  due: 'to be generated',
  drifted: 'edited by hand',
  own: 'written by hand',
};

const shortDigest = 12;

/** Formats the status of a skill's generated code as lines that are safe to print, one per file. */
export function generatedCodeLines({ status, files, issues }: GeneratedCode): readonly string[] {
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

/**
 * Formats the issues that the table of files does not show. If the table shows all issues, returns only their
 * hints.
 */
function issueLines(files: GeneratedCode['files'], issues: GeneratedCode['issues']): readonly string[] {
  const isShown = ({ level, file = '' }: Issue): boolean =>
    level === 'info' && files.some(({ path }) => file.endsWith(`/${path}`));
  const others = issues.filter((issue) => !isShown(issue));
  if (others.length > 0) return others.map(describeIssue);
  return [...new Set(issues.flatMap(({ hint = [] }) => hint))];
}

/** Returns the status of a skill's generated code as `show --json` prints it. */
export function generatedCodeJson({ status, files, issues }: GeneratedCode): Record<string, unknown> {
  return { status, files, issues: issues.map(issueJson) };
}
