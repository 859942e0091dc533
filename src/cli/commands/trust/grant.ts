import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { settingsSources, uncountedKeys } from '../../../config/read/settings.ts';
import { ownTrustBook, projectDigest, projectState, trustedFiles } from '../../../config/trust.ts';
import { AgentError, type Skill } from '../../../core/index.ts';
import { auditBundle } from '../../../doctor/audit/audit.ts';
import type { AuditDiagnostic } from '../../../doctor/audit/diagnostic.ts';
import { placeOf, runningFiles, skillEffect, trustOf, vouchFor } from '../../../doctor/trust.ts';
import {
  oneLine,
  openAgent,
  paint,
  pasteable,
  printJson,
  type Invocation,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';

/** Trusts a skill or a project as it is now, and shows exactly what that is. The command is the decision: nobody is asked again. */
export async function grantTrust(invocation: Invocation): Promise<number> {
  const { flags, words } = invocation;
  const [word] = words;
  if (word === undefined)
    throw new AgentError('usage.bad-input', 'Say what is to be trusted.', {
      hint: 'Write `skilled trust grant <skill>`; a dot is the settings of this project.',
    });
  await using agent = await openAgent(flags);
  const path = namedPlace(word, flags.cwd);
  const skill =
    path === undefined
      ? agent.skills.resolve(word)
      : (agent.skills.list().find((one) => liesAt(one, path)) ?? agent.skills.get(word));
  if (skill !== undefined) return await grantSkill(invocation, agent, skill);
  return await grantProject(invocation, path ?? flags.cwd);
}

function liesAt({ dir, file }: Skill, path: string): boolean {
  return file !== '' && (realPath(file) === path || realPath(dir) === path);
}

/** Trusts the settings of a project as they are now: all that they say counts. */
async function grantProject({ flags, terminal }: Invocation, path: string): Promise<number> {
  const sources = settingsSources(path);
  const state = projectState(sources);
  const digest = state && projectDigest(state);
  if (state === undefined || digest === undefined)
    throw new AgentError('usage.not-found', `There is nothing to trust at ${path}.`, {
      hint: 'A project has .skilled/settings.json, .skilled/settings.local.json, .mcp.json or a .env with keys of models; a skill is named by its name or its folder, where `skilled list` has it (--cwd <dir>).',
    });
  const { folder } = state;
  const book = ownTrustBook();
  const counts = uncountedKeys(sources);
  const isKnown = book.isTrustedProject(folder, digest);
  await book.trustProject({ folder, digest });
  const files = trustedFiles(state);
  if (flags.json) {
    printJson(terminal, { ok: true, folder, digest, files, counts });
    return 0;
  }
  const head = isKnown ? 'This project was trusted already.' : 'This project is trusted as it is now.';
  terminal.out(
    `${head}\n\n${factLines({ folder, digest, files: files.join(', '), 'now counts': counts.join(', ') })}`,
  );
  if (!flags.quiet)
    terminal.err('All that these files say counts; skills that bring code are trusted one by one.\n');
  return 0;
}

/** Trusts the files of a skill as they are now: its code may run, and it may use the tools that it names. */
async function grantSkill(
  { flags, terminal }: Invocation,
  agent: RecursiveSkilledAgent,
  skill: Skill,
): Promise<number> {
  const { name, card } = skill;
  const place = placeOf(skill);
  if (skill.file === '')
    throw new AgentError('usage.bad-input', `"${name}" was made in code and has no files to trust.`, {
      hint: 'Rules decide about it: `skilled config explain permissions`',
    });
  const { digest, fault } = vouchFor(skill);
  if (digest === undefined)
    throw new AgentError('skill.invalid', `"${name}" cannot be trusted: its folder ${fault}.`, {
      hint: 'Put a copy in the place of the link, or look at the folder.',
    });
  const book = ownTrustBook();
  const { bundles } = book.list();
  const isKnown = bundles.some((known) => known.digest === digest);
  const files = runningFiles(agent, skill);
  const tools = card.allowedTools ?? [];
  const findings = auditBundle(place);
  if (vouchFor(skill).digest !== digest)
    throw new AgentError('skill.changed', `The files of "${name}" changed while they were looked at.`, {
      hint: 'Look at them, and grant it again.',
    });
  const needs = trustOf(agent, book, skill) !== undefined;
  await book.trust({ digest, name, dir: place });
  if (flags.json) {
    printJson(terminal, { ok: true, name, dir: place, digest, files, tools, findings, needed: needs });
    return 0;
  }
  const facts = {
    place,
    digest,
    'can run': files.join(', ') || 'nothing',
    does: skillEffect(agent, skill) ?? '',
    'may use': tools.join(', '),
  };
  terminal.out(
    `${name} ${isKnown ? 'was trusted already' : 'is trusted as it is now'}.\n\n${factLines(facts)}`,
  );
  terminal.out(findingLines(findings, skill.dir, terminal));
  if (!flags.quiet)
    terminal.err(
      needs
        ? pasteable(
            `One changed byte, and it is asked again. To take it back: \`skilled trust revoke ${name}\`\n`,
            terminal,
          )
        : 'Its code needs no trust here; the tools that it names count from now on.\n',
    );
  return 0;
}

/** Facts under each other, the empty ones left out. */
function factLines(facts: Readonly<Record<string, string>>): string {
  const shown = Object.entries(facts).filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([key]) => key.length));
  return shown.map(([key, value]) => `${key.padEnd(width)}  ${oneLine(value)}\n`).join('');
}

/** Findings beyond these are only counted. */
const most = 10;
const colors = { high: 'red', medium: 'yellow', low: 'gray' } as const;

/** What the audit of a bundle found, one line each; empty when that is nothing. */
function findingLines(findings: readonly AuditDiagnostic[], dir: string, terminal: Terminal): string {
  if (findings.length === 0) return '';
  const lines = findings.slice(0, most).map(({ severity, file, line, what, text }) => {
    const name = relative(dir, file) || text; // of the bundle as a whole: what is meant in it
    const place = `${name}${line === undefined ? '' : `:${line}`}`;
    return `  ${paint(severity.padEnd(6), colors[severity], terminal)}  ${oneLine(`${place}: ${what}`)}\n`;
  });
  const rest = findings.length - most;
  const more = rest > 0 ? pasteable(`  … and ${rest} more; \`skilled audit\` shows all\n`, terminal) : '';
  return `\nWorth a look:\n${lines.join('')}${more}`;
}

/** The real path that a word means which is no name: a dot, or something with a slash. Undefined for a name. */
export function namedPlace(word: string, cwd: string): string | undefined {
  const isPath = /^\.{1,2}$/.test(word) || word.includes('/') || word.includes(sep) || isAbsolute(word);
  return isPath ? realPath(resolve(cwd, word)) : undefined;
}

/** A path with its links resolved; as it is where it leads to nothing. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // what is gone can still be named
  }
}
