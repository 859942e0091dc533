import { relative, resolve, sep } from 'node:path';
import { count, describeIssue } from '../../../doctor/report.ts';
import { validatePaths, validateRoots, type Validation } from '../../../doctor/validate.ts';
import {
  issueJson,
  listFindings,
  oneLine,
  openAgent,
  paint,
  pasteable,
  printJson,
  type CliCommand,
  type CommonFlags,
  type Terminal,
} from '../../command-kit.ts';

/** `skilled validate`: findings per descriptor, exit 3 when one has errors. */
export const validate: CliCommand = {
  summary: 'Check descriptors with the functions that load them.',
  usage: `Usage: skilled validate [path...] [--strict] [--json]

Without a path, everything that "skilled list" looks at is checked.

  skilled validate
  skilled validate ~/my-skills --strict

  --strict  what the Agent Skills standard forbids is an error`,
  options: { strict: { type: 'boolean' } },
  mostWords: Infinity,
  async run({ flags, own, words, terminal }) {
    await using agent = await openAgent(flags);
    const roots = agent.roots().filter((root) => root.source !== 'bundled');
    const allowSymlinkTargets = [...agent.allowSymlinkTargets, ...agent.roots().map((root) => root.path)];
    const { families, limits } = agent;
    const options = { families, limits, allowSymlinkTargets, strict: own['strict'] === true };
    const paths = words.map((path) => resolve(flags.cwd, path));
    const checked = paths.length === 0 ? validateRoots(roots, options) : validatePaths(paths, options);
    const diagnostics = agent.skills.diagnostics();
    const results = checked.map((result) => ({
      ...result,
      issues: [...result.issues, ...listFindings(diagnostics, result.path)],
    }));
    const ok = results.every((result) => result.valid);
    if (flags.json) {
      const shown = results.map((result) => ({ ...result, issues: result.issues.map(issueJson) }));
      printJson(terminal, { ok, results: shown });
    } else print(results, flags, terminal);
    return ok ? 0 : 3;
  },
};

/** More results than this, and those without a finding are only counted. */
const few = 20;

function print(results: readonly Validation[], flags: CommonFlags, terminal: Terminal): void {
  for (const { path, valid, issues } of results) {
    const shown = issues.filter((issue) => issue.level !== 'info' || !flags.quiet);
    if (valid && shown.length === 0 && results.length > few) continue;
    const word = valid ? paint('valid  ', 'green', terminal) : paint('invalid', 'red', terminal);
    terminal.out(`${word}  ${oneLine(shortened(path, flags.cwd))}\n`);
    for (const { file, ...issue } of shown) {
      const where = file !== undefined && file !== path ? { file } : {};
      const line = issue.line === undefined ? '' : `line ${issue.line}: `;
      terminal.out(`  ${line}${pasteable(oneLine(describeIssue({ ...issue, ...where })), terminal)}\n`);
    }
  }
  if (!flags.quiet) terminal.err(`${summary(results)}\n`);
}

function summary(results: readonly Validation[]): string {
  if (results.length === 0) return 'There is nothing to validate here. Name a folder of skills.';
  const valid = results.filter((result) => result.valid).length;
  const warnings = results.flatMap(({ issues }) =>
    issues.filter((issue) => issue.level === 'warning'),
  ).length;
  const more = warnings === 0 ? '' : `, ${count(warnings, 'warning')}`;
  return `${valid} valid, ${results.length - valid} invalid${more}.`;
}

/** The path from the working folder where it lies below it. */
function shortened(path: string, cwd: string): string {
  return path.startsWith(cwd + sep) ? relative(cwd, path) : path;
}
