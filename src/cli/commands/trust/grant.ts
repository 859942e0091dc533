import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { settingsSources, findIgnoredKeys } from '../../../config/read/settings.ts';
import { homeFolder } from '../../../config/paths.ts';
import {
  ownFolderGrants,
  ownTrustBook,
  projectDigest,
  projectState,
  trustedFiles,
} from '../../../config/trust.ts';
import { AgentError, type Skill } from '../../../core/index.ts';
import { auditBundle } from '../../../doctor/audit/audit.ts';
import type { AuditDiagnostic } from '../../../doctor/audit/diagnostic.ts';
import { skillPath, runningFiles, skillEffect, trustOf, readFreshness } from '../../../doctor/trust.ts';
import {
  fitRows,
  oneLine,
  openAgent,
  paint,
  pasteable,
  printJson,
  type Invocation,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';

/**
 * Trusts the current version of a skill or project, and prints exactly what is now trusted. Does not ask for
 * confirmation, because running the command is already the user's decision.
 */
export async function grantTrust(invocation: Invocation): Promise<number> {
  const { flags, args } = invocation;
  const [target] = args;
  if (target === undefined)
    throw new AgentError('usage.bad-input', 'Missing skill or project to trust.', {
      hint: 'Run `skilled trust grant <skill>`; a dot means the settings of this project.',
    });
  await using agent = await openAgent(flags);
  const path = resolvePath(target, flags.cwd);
  const skill =
    path === undefined
      ? agent.skills.resolve(target)
      : (agent.skills.list().find((one) => isLocatedAt(one, path)) ?? agent.skills.get(target));
  if (skill !== undefined) return await grantSkill(invocation, agent, skill);
  const isProject = /^\.{1,2}$/.test(target);
  if (path !== undefined && !isProject && isFolderOfSkills(agent, path))
    return await grantFolder(invocation, agent, path);
  return await grantProject(invocation, path ?? flags.cwd);
}

function isLocatedAt({ dir, file }: Skill, path: string): boolean {
  return file !== '' && (realPath(file) === path || realPath(dir) === path);
}

/** Whether a path is a folder with skills below it, but not the folder of a project with settings. */
function isFolderOfSkills(agent: RecursiveSkilledAgent, path: string): boolean {
  const state = projectState(settingsSources(path));
  const isProject = state !== undefined && state.folder === path && projectDigest(state) !== undefined;
  return !isProject && skillsBelow(agent, path).length > 0;
}

function skillsBelow(agent: RecursiveSkilledAgent, path: string): readonly Skill[] {
  return agent.skills.list().filter(({ file }) => file !== '' && isBelow(realPath(file), path));
}

function isBelow(file: string, folder: string): boolean {
  const within = relative(folder, file);
  return within !== '' && !within.startsWith('..') && !isAbsolute(within);
}

/** Trusts the skills in a folder for their author: changes of their files need no new decision. */
async function grantFolder(
  { flags, terminal }: Invocation,
  agent: RecursiveSkilledAgent,
  folder: string,
): Promise<number> {
  const home = homeFolder();
  if (home !== undefined && (realPath(home) === folder || isBelow(realPath(home), folder)))
    throw new AgentError('usage.bad-input', `${folder} contains your home folder.`, {
      hint: 'Name only the folder in which you write skills.',
    });
  const skills = skillsBelow(agent, folder).map(({ name }) => name);
  const isNew = await ownFolderGrants().grant(folder);
  if (flags.json) {
    printJson(terminal, { ok: true, folder, skills });
    return 0;
  }
  const head = isNew ? 'The skills in this folder are now trusted.' : 'This folder was already trusted.';
  terminal.out(fitRows(`${head}\n\n${factLines({ folder, skills: skills.join(', ') })}`, terminal));
  if (!flags.quiet) for (const line of folderNotes) terminal.err(`${line}\n`);
  return 0;
}

const folderNotes = [
  'You are not asked again after an edit. This includes changes that git pulls.',
  'You are asked again about skills that a run changed, and about skills in a lock file.',
];

/** Trusts a project's current settings, so that all of them take effect. */
async function grantProject({ flags, terminal }: Invocation, path: string): Promise<number> {
  const sources = settingsSources(path);
  const state = projectState(sources);
  const digest = state && projectDigest(state);
  if (state === undefined || digest === undefined)
    throw new AgentError('usage.not-found', `Nothing to trust at ${path}.`, {
      hint: 'A project has .skilled/settings.json, .skilled/settings.local.json, .mcp.json or a .env with model keys. To trust a skill, give its name or folder, as shown by `skilled list` (--cwd <dir>).',
    });
  const { folder } = state;
  const book = ownTrustBook();
  const counts = findIgnoredKeys(sources);
  const isKnown = book.isTrustedProject(folder, digest);
  await book.trustProject({ folder, digest });
  const files = trustedFiles(state);
  if (flags.json) {
    printJson(terminal, { ok: true, folder, digest, files, counts });
    return 0;
  }
  const head = isKnown
    ? 'This project is already trusted.'
    : 'The current version of this project is now trusted.';
  const facts = factLines({ folder, digest, files: files.join(', '), 'now applies': counts.join(', ') });
  terminal.out(fitRows(`${head}\n\n${facts}`, terminal));
  if (!flags.quiet)
    terminal.err('All settings in these files now apply. Skills with code still need separate trust.\n');
  return 0;
}

/** Trusts a skill's current files. Its code may then run and use the tools that the skill names. */
async function grantSkill(
  { flags, terminal }: Invocation,
  agent: RecursiveSkilledAgent,
  skill: Skill,
): Promise<number> {
  const { name, card } = skill;
  const path = skillPath(skill);
  if (skill.file === '')
    throw new AgentError('usage.bad-input', `"${name}" is defined in code and has no files to trust.`, {
      hint: 'Use rules instead: `skilled config explain permissions`',
    });
  const { digest, fault } = readFreshness(skill);
  if (digest === undefined)
    throw new AgentError('skill.invalid', `"${name}" cannot be trusted: its folder ${fault}.`, {
      hint: 'Check the folder, and replace any links with copies.',
    });
  const book = ownTrustBook();
  const { bundles } = book.list();
  const isKnown = bundles.some((known) => known.digest === digest);
  const files = runningFiles(agent, skill);
  const tools = card.allowedTools ?? [];
  const diagnostics = auditBundle(path);
  if (readFreshness(skill).digest !== digest)
    throw new AgentError('skill.changed', `The files of "${name}" changed while they were being read.`, {
      hint: 'Review the files, then grant trust again.',
    });
  const needs = trustOf(agent, book, skill) !== undefined;
  await book.trust({ digest, name, dir: path });
  if (flags.json) {
    printJson(terminal, {
      ok: true,
      name,
      dir: path,
      digest,
      files,
      tools,
      findings: diagnostics,
      needed: needs,
    });
    return 0;
  }
  const facts = {
    path,
    digest,
    'can run': files.join(', ') || 'nothing',
    does: skillEffect(agent, skill) ?? '',
    'may use': tools.join(', '),
  };
  const head = `${name} ${isKnown ? 'was already trusted' : 'is now trusted in its current version'}.`;
  terminal.out(fitRows(`${head}\n\n${factLines(facts)}`, terminal));
  terminal.out(fitRows(diagnosticLines(diagnostics, skill.dir, terminal), terminal));
  if (!flags.quiet)
    terminal.err(
      needs
        ? pasteable(
            `If its files change, you must trust it again. To revoke: \`skilled trust revoke ${name}\`\n`,
            terminal,
          )
        : 'Its code does not need trust here. It may now use the tools that it names.\n',
    );
  return 0;
}

/** Formats facts, one per line. Facts without a value are skipped. */
function factLines(facts: Readonly<Record<string, string>>): string {
  const shown = Object.entries(facts).filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([key]) => key.length));
  return shown.map(([key, value]) => `${key.padEnd(width)}  ${oneLine(value)}\n`).join('');
}

/** The maximum number of diagnostics shown. The rest are only counted. */
const most = 10;
const colors = { high: 'red', medium: 'yellow', low: 'gray' } as const;

/** Formats a bundle's diagnostics, one per line. Returns an empty string if there are none. */
function diagnosticLines(diagnostics: readonly AuditDiagnostic[], dir: string, terminal: Terminal): string {
  if (diagnostics.length === 0) return '';
  const lines = diagnostics.slice(0, most).map(({ severity, file, line, what, text }) => {
    // A diagnostic about the whole bundle has no file name, so show its message.
    const name = relative(dir, file) || text;
    const location = `${name}${line === undefined ? '' : `:${line}`}`;
    return `  ${paint(severity.padEnd(6), colors[severity], terminal)}  ${oneLine(`${location}: ${what}`)}\n`;
  });
  const rest = diagnostics.length - most;
  const more = rest > 0 ? pasteable(`  … and ${rest} more; \`skilled audit\` shows all\n`, terminal) : '';
  return `\nWorth a look:\n${lines.join('')}${more}`;
}

/**
 * Returns the real path of an argument that is a dot or contains a slash. Returns undefined for any other
 * argument, because it is a name.
 */
export function resolvePath(target: string, cwd: string): string | undefined {
  const isPath =
    /^\.{1,2}$/.test(target) || target.includes('/') || target.includes(sep) || isAbsolute(target);
  return isPath ? realPath(resolve(cwd, target)) : undefined;
}

/** Returns a path with its links resolved, or the unchanged path if it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path; // Keep a path that no longer exists, because the user can still name it.
  }
}
