import { basename, relative, resolve, sep } from 'node:path';
import { auditPath, auditRoots, isWorrying, type Audit } from '../../../doctor/audit/audit.ts';
import type { AuditDiagnostic, Severity } from '../../../doctor/audit/diagnostic.ts';
import { count } from '../../../doctor/report.ts';
import {
  oneLine,
  openAgent,
  paint,
  printJson,
  type CliCommand,
  type Color,
  type CommonFlags,
  type Terminal,
} from '../../command-kit.ts';

/** `skilled audit`: what is worth a look before a skill is trusted, exit 3 when something weighs more than low. */
export const audit: CliCommand = {
  summary:
    'Look for known-bad patterns in the files of skills. Advice: nothing found does not mean harmless.',
  usage: `Usage: skilled audit [path] [--json]

A path is a skill folder, a folder of skills or a file. Without one, everything
that "skilled list" looks at is read. Nothing is run, and nothing is sent.
The exit code is 3 when something of medium or high severity is found.

  skilled audit ~/Downloads/new-skill`,
  mostWords: 1,
  async run({ flags, words, terminal }) {
    await using agent = await openAgent(flags);
    const roots = agent.roots().filter((root) => root.source !== 'bundled');
    const allowSymlinkTargets = [...agent.allowSymlinkTargets, ...agent.roots().map((root) => root.path)];
    const options = { families: agent.families, limits: agent.limits, allowSymlinkTargets };
    const [word] = words;
    const audits =
      word === undefined ? auditRoots(roots, options) : auditPath(resolve(flags.cwd, word), options);
    const findings = audits.flatMap((result) => result.findings);
    const ok = !isWorrying(findings);
    if (flags.json) printJson(terminal, { ok, audited: audits.length, findings: audits.flatMap(withBundle) });
    else print(audits, flags, terminal);
    return ok ? 0 : 3;
  },
};

function withBundle({ path, findings }: Audit): readonly object[] {
  return findings.map((finding) => ({ bundle: path, ...finding }));
}

const colors: Readonly<Record<Severity, Color>> = { high: 'red', medium: 'yellow', low: 'gray' };

/** Findings of one bundle beyond these are only counted. */
const most = 15;

function print(audits: readonly Audit[], flags: CommonFlags, terminal: Terminal): void {
  for (const { path, findings } of audits) {
    if (findings.length === 0) continue;
    terminal.out(`${paint(oneLine(shortened(path, flags.cwd)), 'bold', terminal)}\n`);
    const shown = findings.slice(0, most);
    for (const [index, finding] of shown.entries()) {
      terminal.out(reportOn(finding, path, terminal));
      // One hint is enough for neighbours that share it.
      if (shown[index + 1]?.hint !== finding.hint) terminal.out(`          → ${finding.hint}\n`);
    }
    const rest = findings.length - most;
    if (rest > 0) terminal.out(`  … and ${rest} more; --json shows all\n`);
  }
  if (!flags.quiet) terminal.err(`${summary(audits)}\n`);
}

function reportOn(
  { severity, file, line, what, text }: AuditDiagnostic,
  bundle: string,
  terminal: Terminal,
): string {
  const place = relative(bundle, file) || basename(file);
  const where = line === undefined ? place : `${place}:${line}`;
  const head = `  ${paint(severity.padEnd(6), colors[severity], terminal)}  ${oneLine(where)}: ${what}\n`;
  return text === '' ? head : `${head}          ${oneLine(text)}\n`;
}

function summary(audits: readonly Audit[]): string {
  if (audits.length === 0)
    return 'There is nothing to audit here. Name a skill folder, a folder of skills or a file.';
  const findings = audits.flatMap((result) => result.findings);
  const read = count(audits.length, 'skill');
  if (findings.length === 0)
    return `${read} read, nothing found. That is no proof: read what you are about to trust.`;
  const by = (severity: Severity): number =>
    findings.filter((finding) => finding.severity === severity).length;
  return `${read} read: ${by('high')} high, ${by('medium')} medium, ${by('low')} low.`;
}

/** The path from a folder where it lies below it. */
function shortened(path: string, folder: string): string {
  return path.startsWith(folder + sep) ? relative(folder, path) : path;
}
