import { counted } from '../../../core/index.ts';
import { relative, resolve, sep } from 'node:path';
import { describeIssue } from '../../../doctor/report.ts';
import { validatePaths, validateRoots, type Validation } from '../../../doctor/validate.ts';
import {
  fitRows,
  issueJson,
  oneLine,
  openAgent,
  paint,
  pasteable,
  printJson,
  type CliCommand,
  type CommonFlags,
  type Terminal,
} from '../../command-kit.ts';

/** `skilled validate`: prints the issues in each descriptor. Exits with 3 if a descriptor has errors. */
export const validate: CliCommand = {
  summary: 'Check skill descriptors.',
  usage: `Usage: skilled validate [path...] [--strict] [--json]

Without a path, checks everything that "skilled list" reads.

  skilled validate
  skilled validate ~/my-skills --strict

  --strict  also reject violations of the Agent Skills standard and faulty content`,
  options: { strict: { type: 'boolean' } },
  maxArgs: Infinity,
  async run({ flags, own, args, terminal }) {
    await using agent = await openAgent(flags);
    const roots = agent.roots().filter((root) => root.source !== 'bundled');
    const allowSymlinkTargets = [...agent.allowSymlinkTargets, ...agent.roots().map((root) => root.path)];
    const { families, limits } = agent;
    const options = {
      families,
      limits,
      allowSymlinkTargets,
      strict: own['strict'] === true,
      roots: agent.roots(),
      registry: agent.skills.snapshot(),
    };
    const paths = args.map((path) => resolve(flags.cwd, path));
    const checked = paths.length === 0 ? validateRoots(roots, options) : validatePaths(paths, options);
    const unknown = agent.skills.diagnostics().filter(({ code }) => code === 'list.unknown-skill');
    const results = checked.map((result) => ({
      ...result,
      issues: [...result.issues, ...unknown.filter(({ file }) => file === result.path)],
    }));
    const ok = results.every((result) => result.valid);
    if (flags.json) {
      const shown = results.map((result) => ({ ...result, issues: result.issues.map(issueJson) }));
      printJson(terminal, { ok, results: shown });
    } else print(results, flags, terminal);
    return ok ? 0 : 3;
  },
};

/**
 * The maximum number of results to list in full. If there are more, results without issues are only counted.
 */
const few = 20;

function print(results: readonly Validation[], flags: CommonFlags, terminal: Terminal): void {
  for (const { path, valid, issues } of results) {
    const shown = issues.filter((issue) => issue.level !== 'info' || !flags.quiet);
    if (valid && shown.length === 0 && results.length > few) continue;
    const label = valid ? paint('valid  ', 'green', terminal) : paint('invalid', 'red', terminal);
    terminal.out(fitRows(`${label}  ${oneLine(shortened(path, flags.cwd))}\n`, terminal));
    for (const { file, ...issue } of shown) {
      const where = file !== undefined && file !== path ? { file } : {};
      const line = issue.line === undefined ? '' : `line ${issue.line}: `;
      const said = pasteable(oneLine(describeIssue({ ...issue, ...where })), terminal);
      terminal.out(fitRows(`  ${line}${said}\n`, terminal));
    }
  }
  if (!flags.quiet) terminal.err(`${summary(results)}\n`);
}

function summary(results: readonly Validation[]): string {
  if (results.length === 0) return 'Nothing to validate here. Specify a folder that contains skills.';
  const valid = results.filter((result) => result.valid).length;
  const warnings = results.flatMap(({ issues }) =>
    issues.filter((issue) => issue.level === 'warning'),
  ).length;
  const more = warnings === 0 ? '' : `, ${counted(warnings, 'warning')}`;
  return `${valid} valid, ${results.length - valid} invalid${more}.`;
}

/** Returns a path below the working folder as a relative path. Returns any other path unchanged. */
function shortened(path: string, cwd: string): string {
  return path.startsWith(cwd + sep) ? relative(cwd, path) : path;
}
