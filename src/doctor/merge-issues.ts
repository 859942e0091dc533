import type { Issue } from '../core/index.ts';

/** Codes of the lint, each with the codes of the parser that report the same fault. */
const sameFaults: Readonly<Record<string, readonly string[]>> = {
  'standard.frontmatter': ['name.derived', 'description.derived'],
  'standard.name': ['name.derived', 'name.form'],
  'standard.description': ['description.derived', 'description.long'],
};

/** Codes of errors, each with the codes of the lint that follow from the same fault. */
const consequences: Readonly<Record<string, readonly string[]>> = {
  'descriptor.empty': ['standard.frontmatter', 'standard.description'],
  'frontmatter.limit': ['standard.frontmatter', 'standard.name', 'standard.description'],
};

/** Combines the issues of the parser and of the lint, and reports each fault once. */
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

/** Whether a value has the wrong type only because its YAML is invalid, which is reported on the same line. */
function isBadYaml({ code, line }: Issue, parsed: readonly Issue[]): boolean {
  return (
    (code === 'field.type' || code === 'standard.metadata') &&
    parsed.some((other) => other.code === 'frontmatter.repaired' && other.line === line)
  );
}

/** Whether the lint reports the same value. */
function isBadValue({ code, line }: Issue, lint: readonly Issue[]): boolean {
  return (
    code === 'field.type' &&
    line !== undefined &&
    lint.some((issue) => issue.line === line && issue.code !== 'standard.field')
  );
}
