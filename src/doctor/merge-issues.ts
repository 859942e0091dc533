import type { Issue } from '../core/index.ts';

/** Issue codes of the linter, each with the parser's codes for the same fault. */
const sameFaults: Readonly<Record<string, readonly string[]>> = {
  'standard.frontmatter': ['name.derived', 'description.derived'],
  'standard.name': ['name.derived', 'name.form'],
  'standard.description': ['description.derived', 'description.long'],
};

/** Error codes of the parser, each with the linter's codes for consequences of the same fault. */
const consequences: Readonly<Record<string, readonly string[]>> = {
  'descriptor.empty': ['standard.frontmatter', 'standard.description'],
  'frontmatter.limit': ['standard.frontmatter', 'standard.name', 'standard.description'],
};

/** Combines the issues from the parser and the linter so that each fault is reported once. */
export function mergeIssues(parsed: readonly Issue[], lint: readonly Issue[]): readonly Issue[] {
  const implied = new Set(parsed.flatMap(({ code }) => consequences[code] ?? []));
  const remaining = lint.filter((issue) => !implied.has(issue.code) && !isBadYaml(issue, parsed));
  const repeated = new Set(remaining.flatMap(({ code }) => sameFaults[code] ?? []));
  return [
    ...parsed.filter(
      (issue) => !repeated.has(issue.code) && !isBadYaml(issue, parsed) && !isBadValue(issue, remaining),
    ),
    ...remaining,
  ];
}

/**
 * Whether an issue reports a wrong type that results from invalid YAML, which the parser reports on the same
 * line.
 */
function isBadYaml({ code, line }: Issue, parsed: readonly Issue[]): boolean {
  return (
    (code === 'field.type' || code === 'standard.metadata') &&
    parsed.some((other) => other.code === 'frontmatter.repaired' && other.line === line)
  );
}

/** Whether the linter reports the same value as this issue from the parser. */
function isBadValue({ code, line }: Issue, lint: readonly Issue[]): boolean {
  return (
    code === 'field.type' &&
    line !== undefined &&
    lint.some((issue) => issue.line === line && issue.code !== 'standard.field')
  );
}
