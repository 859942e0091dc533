import { join } from 'node:path';
import { ownTrustBook } from '../../../config/trust.ts';
import { AgentError, type Issue, type JsonObject } from '../../../core/index.ts';
import { isWorrying } from '../../../doctor/audit/audit.ts';
import { describeIssue } from '../../../doctor/report.ts';
import { readFreshness, trustOf } from '../../../doctor/trust.ts';
import { changeFor, isEdited, type StagedSkill } from '../../../install/stage.ts';
import { applyChanges, type InstallChange } from '../../../install/transaction.ts';
import {
  issueJson,
  oneLine,
  openAgent,
  pasteable,
  printJson,
  statusText,
  type Invocation,
} from '../../command-kit.ts';
import { confirm, type OpenedInstall } from './opened.ts';
import { reviewJson, reviewStaged, reviewText, type StagedReview } from './staged-review.ts';

/** Options for showing and installing staged skills. */
interface ApplyOptions {
  /** The words of the command, for the hint of an error. */
  readonly command: string;
  /** The verb for the question and the result, such as "Install". */
  readonly verb: string;
  readonly issues: readonly Issue[];
  /** Whether folders with changes of their own may be replaced. */
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  /** Changes that are made together with the staged skills. */
  readonly others?: readonly InstallChange[];
}

/** Shows staged skills, asks, moves them to their places, reads them back and reports them. */
export async function applyStaged(
  invocation: Invocation,
  opened: OpenedInstall,
  staged: readonly StagedSkill[],
  options: ApplyOptions,
): Promise<number> {
  const { flags, terminal } = invocation;
  const { target, lock, agent, blobs, staging } = opened;
  const edited = staged.filter((skill) => isEdited(skill, lock)).map(({ name }) => name);
  const fresh = staged.filter(({ name, before, entry }) => before !== entry.digest || !lock.has(name));
  const reviews = reviewStaged(fresh, agent, target);
  const print = options.isDryRun ? terminal.out : terminal.err;
  if (!flags.json && (options.isDryRun || !flags.quiet))
    for (const review of reviews) print(reviewText(review, terminal));
  for (const issue of options.issues)
    if (!flags.json && !flags.quiet) terminal.err(`${pasteable(oneLine(describeIssue(issue)), terminal)}\n`);
  if (edited.length > 0 && !options.isForced && !options.isDryRun) throw editedError(edited);
  if (options.isDryRun) {
    if (flags.json) printJson(terminal, documentOf(options, reviews, staged, fresh));
    return 0;
  }
  if (fresh.length > 0 || (options.others ?? []).length > 0) {
    const names = fresh.map(({ name }) => name).join(', ');
    const warning = reviews.some(({ diagnostics }) => isWorrying(diagnostics))
      ? ' Read the warnings above.'
      : '';
    await confirm(invocation, `${options.verb} ${oneLine(names)}?${warning}`, options.command);
    applyChanges(target, staging, [...fresh.map(changeFor), ...(options.others ?? [])]);
    for (const { files } of fresh) blobs.keep(files);
  }
  if (flags.json) printJson(terminal, documentOf(options, reviews, staged, fresh));
  await reportInstalled(invocation, opened, staged, fresh);
  return 0;
}

function documentOf(
  { issues, isDryRun }: ApplyOptions,
  reviews: readonly StagedReview[],
  staged: readonly StagedSkill[],
  fresh: readonly StagedSkill[],
): JsonObject {
  return {
    ok: true,
    ...(isDryRun ? { dryRun: true } : {}),
    skills: reviews.map(reviewJson),
    unchanged: staged.filter((skill) => !fresh.includes(skill)).map(({ name }) => name),
    diagnostics: issues.map(issueJson),
  };
}

function editedError(names: readonly string[]): AgentError {
  return new AgentError(
    'usage.bad-input',
    `Changed since installation, or not installed: ${names.join(', ')}.`,
    {
      hint: 'Keep a copy of your changes, then add --force to replace them.',
      details: { skills: names },
    },
  );
}

/** Reads the installed skills through a new registry, and offers to trust the ones with code. */
async function reportInstalled(
  invocation: Invocation,
  { target }: OpenedInstall,
  staged: readonly StagedSkill[],
  fresh: readonly StagedSkill[],
): Promise<void> {
  const { flags, terminal } = invocation;
  if (flags.json) return;
  await using agent = await openAgent(flags);
  const book = ownTrustBook();
  for (const { name, entry } of staged) {
    const dir = join(target.skills, name);
    const skill = agent.skills.list().find((one) => one.dir === dir);
    const status = skill === undefined ? 'not found here' : statusText(skill);
    const what = fresh.some((one) => one.name === name) ? 'installed' : 'unchanged';
    terminal.out(`${what}  ${oneLine(name)}  ${entry.digest.slice(7, 19)}  ${oneLine(status)}\n`);
    if (skill === undefined || trustOf(agent, book, skill)?.trust !== 'needed') continue;
    const isTrusted = await askTrust(invocation, name, entry.digest, () => readFreshness(skill).digest);
    if (isTrusted) await book.trust({ digest: entry.digest, name, dir });
    else if (!flags.quiet)
      terminal.err(pasteable(`Its code is not trusted yet: \`skilled trust grant ${name}\`\n`, terminal));
  }
}

/** Asks whether code may run. This is a question of its own: neither `--yes` nor the installation answers it. */
async function askTrust(
  { terminal }: Invocation,
  name: string,
  shown: string,
  digestNow: () => string | undefined,
): Promise<boolean> {
  if (terminal.ask === undefined) return false;
  await terminal.forgetTyped?.();
  const answer = await terminal.ask(`Trust the code of ${oneLine(name)} (${shown.slice(7, 19)})? [y/N] `);
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '') && digestNow() === shown;
}
