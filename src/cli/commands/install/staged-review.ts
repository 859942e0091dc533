import { join } from 'node:path';
import { auditBundle } from '../../../doctor/audit/audit.ts';
import type { AuditDiagnostic } from '../../../doctor/audit/diagnostic.ts';
import { describeIssue } from '../../../doctor/report.ts';
import { validatePaths } from '../../../doctor/validate.ts';
import type { Issue, JsonObject, MissingRequirement } from '../../../core/index.ts';
import { describeContents, installCommands, type SkillContents } from '../../../install/contents.ts';
import type { StagedSkill } from '../../../install/stage.ts';
import type { InstallTarget } from '../../../install/target.ts';
import { compareFiles, filesIn, type InstalledFile, type VerifiedSkill } from '../../../install/verify.ts';
import {
  issueJson,
  manyLines,
  oneLine,
  paint,
  type RecursiveSkilledAgent,
  type Terminal,
} from '../../command-kit.ts';

/** Everything that a person should see before a skill is installed. */
export interface StagedReview {
  readonly staged: StagedSkill;
  readonly contents: SkillContents;
  readonly diagnostics: readonly AuditDiagnostic[];
  readonly issues: readonly Issue[];
  /** The requirements of the skill that this machine does not meet. */
  readonly missing: readonly MissingRequirement[];
  /** Commands that install what is missing, as the publisher states them. They are never run. */
  readonly commands: readonly string[];
  /** The differences from the version that is installed. Absent for a new skill. */
  readonly differences?: Pick<VerifiedSkill, 'changed' | 'added' | 'removed'>;
  /** The tools, hosts and so on that only the new version may use. */
  readonly gains: readonly string[];
}

/** Validates and audits staged skills, and collects what a person should know about them. Runs nothing. */
export function reviewStaged(
  staged: readonly StagedSkill[],
  agent: RecursiveSkilledAgent,
  { skills }: InstallTarget,
): readonly StagedReview[] {
  return staged.map((skill): StagedReview => {
    const [record] = agent.skills.below([skill.dir], 'project').skills;
    const validations = validatePaths([skill.dir], {
      families: agent.families,
      limits: agent.limits,
      strict: false,
    });
    const missing = (record?.missing ?? []).filter(({ kind }) => kind !== 'disabled');
    const before = skill.before === undefined ? undefined : filesIn(join(skills, skill.name));
    const contents = describeContents(skill.files, skill.card);
    return {
      staged: skill,
      contents,
      diagnostics: auditBundle(skill.dir),
      issues: validations.flatMap(({ issues }) => issues),
      missing,
      commands: missing.length === 0 ? [] : installCommands(skill.card),
      ...(before === undefined ? {} : { differences: compareFiles(digestsOf(before), skill.entry.files) }),
      gains: before === undefined ? [] : gainsOver(before, skill, contents, agent, skills),
    };
  });
}

function digestsOf(files: readonly InstalledFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ path, digest }) => [path, digest]));
}

/** Returns what the staged version may use or run in addition to the installed one. */
function gainsOver(
  before: readonly InstalledFile[],
  { name }: StagedSkill,
  now: SkillContents,
  agent: RecursiveSkilledAgent,
  skills: string,
): readonly string[] {
  const card = agent.skills.below([join(skills, name)], 'project').skills[0]?.card ?? { description: '' };
  const old = describeContents(before, card);
  const kinds = {
    tool: 'tools',
    skill: 'skills',
    host: 'hosts',
    variable: 'variables',
    script: 'scripts',
  } as const;
  return Object.entries(kinds).flatMap(([kind, list]) =>
    now[list].filter((one) => !old[list].includes(one)).map((one) => `${kind} ${one}`),
  );
}

/** Returns a review as JSON. */
export function reviewJson(review: StagedReview): JsonObject {
  const { staged, contents, diagnostics, issues, missing, commands, differences, gains } = review;
  const { name, dir, entry, before } = staged;
  const inSkill = (path: string): string => path.replace(`${dir}/`, '').replace(dir, '');
  const document = {
    name,
    path: entry.path,
    source: entry.source,
    resolved: entry.resolved,
    digest: entry.digest,
    ...(before === undefined ? {} : { replaces: before }),
    ...contents,
    findings: diagnostics.map((diagnostic) => ({ ...diagnostic, file: inSkill(diagnostic.file) })),
    issues: issues.map((issue) => issueJson({ ...issue, file: inSkill(issue.file ?? '') })),
    missing,
    commands,
    ...differences,
    gains,
  };
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}

const most = 8; // The maximum number of lines per list.
const colors = { high: 'red', medium: 'yellow', low: 'gray' } as const;

/** Formats a review for a person. Everything that the publisher chose is escaped. */
export function reviewText(review: StagedReview, terminal: Terminal): string {
  const { staged, contents, diagnostics, issues, missing, commands, differences, gains } = review;
  const { name, entry, card, before } = staged;
  const { commit, version } = entry.resolved ?? {};
  const facts: readonly (readonly [string, string])[] = [
    ['from', [entry.source, version ?? commit?.slice(0, 12), entry.from].filter(Boolean).join('  ')],
    ['replaces', before ?? ''],
    ['digest', entry.digest],
    ...gains.map((gain) => ['new', gain] as const),
    ['files', `${contents.files} (${contents.bytes.toLocaleString('en')} bytes)`],
    ['can run', contents.scripts.join(', ') || 'nothing'],
    ['tools', contents.tools.join(', ')],
    ['may call', contents.skills.join(', ')],
    ['hosts', contents.hosts.join(', ')],
    ['variables', contents.variables.join(', ')],
    ...missing.map(({ hint }) => ['missing', hint] as const),
    ...commands.map((command) => ['install it', command] as const),
  ];
  const lines = facts
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `  ${key.padEnd(10)}  ${oneLine(value)}\n`);
  const found = diagnostics.map(({ severity, file, line, what }) => {
    const path = `${file.replace(`${staged.dir}/`, '')}${line === undefined ? '' : `:${line}`}`;
    return `  ${paint(severity.padEnd(6), colors[severity], terminal)}  ${oneLine(`${path}: ${what}`)}\n`;
  });
  const faults = issues
    .filter(({ level }) => level !== 'info')
    .map((issue) => `  ${oneLine(describeIssue(issue).replace(`${staged.dir}/`, ''))}\n`);
  const text = [
    `${paint(oneLine(name), 'bold', terminal)}: ${oneLine(card.description)}\n`,
    ...lines,
    ...(differences === undefined ? [] : differenceLines(differences, terminal)),
    ...few(found),
    ...few(faults),
  ];
  return manyLines(`${text.join('')}\n`);
}

/** Formats the differences between two versions of a skill, one line per file. */
export function differenceLines(
  { changed, added, removed }: Pick<VerifiedSkill, 'changed' | 'added' | 'removed'>,
  terminal: Terminal,
): readonly string[] {
  return few([
    ...changed.map((path) => `  ${paint('~', 'yellow', terminal)} ${oneLine(path)}\n`),
    ...added.map((path) => `  ${paint('+', 'green', terminal)} ${oneLine(path)}\n`),
    ...removed.map((path) => `  ${paint('-', 'red', terminal)} ${oneLine(path)}\n`),
  ]);
}

function few(lines: readonly string[]): readonly string[] {
  const rest = lines.length - most;
  return rest > 0 ? [...lines.slice(0, most), `  … and ${rest} more\n`] : lines;
}
