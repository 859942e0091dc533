import { counted } from '../../../core/index.ts';
import { basename, relative, resolve, sep } from 'node:path';
import { auditPath, auditRoots, isWorrying, type Audit } from '../../../doctor/audit/audit.ts';
import type { AuditDiagnostic, Severity } from '../../../doctor/audit/diagnostic.ts';
import {
  fitRows,
  oneLine,
  openAgent,
  paint,
  printJson,
  type CliCommand,
  type Color,
  type CommonFlags,
  type Terminal,
} from '../../command-kit.ts';

/**
 * The `skilled audit` command, which looks for risks before you trust a skill. Exits with 3 if any risk is
 * above low severity.
 */
export const audit: CliCommand = {
  summary:
    'Check skill files for known dangerous patterns. A clean result does not prove that a skill is harmless.',
  usage: `Usage: skilled audit [path] [--json]

A path is a skill folder, a folder of skills or a file. Without one, reads everything
that "skilled list" reads. Runs nothing and sends nothing. The exit code is 3 if
something of medium or high severity is found.

  skilled audit ~/Downloads/new-skill`,
  maxArgs: 1,
  async run({ flags, args, terminal }) {
    await using agent = await openAgent(flags);
    const roots = agent.roots().filter((root) => root.source !== 'bundled');
    const allowSymlinkTargets = [...agent.allowSymlinkTargets, ...agent.roots().map((root) => root.path)];
    const options = { families: agent.families, limits: agent.limits, allowSymlinkTargets };
    const [path] = args;
    const audits =
      path === undefined ? auditRoots(roots, options) : auditPath(resolve(flags.cwd, path), options);
    const diagnostics = audits.flatMap((result) => result.diagnostics);
    const ok = !isWorrying(diagnostics);
    if (flags.json) printJson(terminal, { ok, audited: audits.length, findings: audits.flatMap(withBundle) });
    else print(audits, flags, terminal);
    return ok ? 0 : 3;
  },
};

function withBundle({ path, diagnostics }: Audit): readonly object[] {
  return diagnostics.map((diagnostic) => ({ bundle: path, ...diagnostic }));
}

const colors: Readonly<Record<Severity, Color>> = { high: 'red', medium: 'yellow', low: 'gray' };

/** The maximum number of diagnostics shown per bundle. The rest are only counted. */
const most = 15;

function print(audits: readonly Audit[], flags: CommonFlags, terminal: Terminal): void {
  for (const { path, diagnostics } of audits) {
    if (diagnostics.length === 0) continue;
    terminal.out(`${paint(oneLine(shortened(path, flags.cwd)), 'bold', terminal)}\n`);
    const shown = diagnostics.slice(0, most);
    for (const [index, diagnostic] of shown.entries()) {
      terminal.out(fitRows(reportOn(diagnostic, path, terminal), terminal));
      // If consecutive diagnostics share a hint, print it only once.
      if (shown[index + 1]?.hint !== diagnostic.hint) {
        terminal.out(fitRows(`          → ${diagnostic.hint}\n`, terminal));
      }
    }
    const rest = diagnostics.length - most;
    if (rest > 0) terminal.out(fitRows(`  … and ${rest} more; --json shows all\n`, terminal));
  }
  if (!flags.quiet) terminal.err(`${summary(audits)}\n`);
}

function reportOn(
  { severity, file, line, what, text }: AuditDiagnostic,
  bundle: string,
  terminal: Terminal,
): string {
  const path = relative(bundle, file) || basename(file);
  const where = line === undefined ? path : `${path}:${line}`;
  const head = `  ${paint(severity.padEnd(6), colors[severity], terminal)}  ${oneLine(where)}: ${what}\n`;
  return text === '' ? head : `${head}          ${oneLine(text)}\n`;
}

function summary(audits: readonly Audit[]): string {
  if (audits.length === 0)
    return 'Nothing to audit here. Specify a skill folder, a folder of skills or a file.';
  const diagnostics = audits.flatMap((result) => result.diagnostics);
  const read = counted(audits.length, 'skill');
  if (diagnostics.length === 0)
    return `${read} checked, nothing found. This does not prove that a skill is safe. Read it before you trust it.`;
  const by = (severity: Severity): number =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  return `${read} checked. Findings: ${by('high')} high, ${by('medium')} medium, ${by('low')} low.`;
}

/** Returns the path relative to the folder if it is inside the folder; otherwise the unchanged path. */
function shortened(path: string, folder: string): string {
  return path.startsWith(folder + sep) ? relative(folder, path) : path;
}
