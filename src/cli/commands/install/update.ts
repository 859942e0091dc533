import { join } from 'node:path';
import { AgentError, didYouMean, normaliseName, type Issue } from '../../../core/index.ts';
import { openSource } from '../../../install/open-source.ts';
import { parseSource, textWithVersion, withVersion } from '../../../install/source.ts';
import { refuseMoved, skillsIn, stageSkill, type StagedSkill } from '../../../install/stage.ts';
import { digestAt } from '../../../install/transaction.ts';
import { oneLine, printJson, table, textFlag, type CliCommand, type Invocation } from '../../command-kit.ts';
import { applyStaged } from './apply-staged.ts';
import { configFor, settleAll, withInstall, type OpenedInstall } from './opened.ts';

/** `skilled update`: replaces installed skills with the current version of their sources. */
export const update: CliCommand = {
  summary: 'Replace installed skills with the current version of their source.',
  usage: `Usage: skilled update [skill]... [--to <ref>] [--dry-run] [--force] [--moved]
                     [--user] [--yes] [--json]

Shows the old and the new digest, the files that differ, and what the new version may
use, then asks. A new version with code needs trust again. Skills with changes of their
own are not touched without --force.

  skilled update --dry-run
  skilled update pdf --to v2

  --to       the tag, branch, commit or package version; needs a skill
  --dry-run  only show what would change
  --force    replace skills that have changes of their own
  --moved    accept a tag or version that now has other content
  --user     update the skills in ~/.agents/skills`,
  options: {
    to: { type: 'string' },
    'dry-run': { type: 'boolean' },
    force: { type: 'boolean' },
    moved: { type: 'boolean' },
    user: { type: 'boolean' },
  },
  maxArgs: 100,
  async run(invocation) {
    const { own, args } = invocation;
    if (own['to'] !== undefined && args.length === 0)
      throw new AgentError('usage.bad-input', '--to needs the name of a skill.', {
        hint: 'Run `skilled update <skill> --to <ref>`.',
      });
    return withInstall(invocation, configFor(invocation), async (opened) => {
      const { staged, errors } = await stageCurrent(invocation, opened, chosenNames(args, opened));
      const [first] = errors;
      if (first !== undefined && own['dry-run'] !== true) throw first.error;
      const issues = errors.map(({ name, error }) => asIssue(name, error));
      const flags = ['force', 'moved', 'user']
        .filter((flag) => own[flag] === true)
        .map((flag) => `--${flag}`);
      return applyStaged(invocation, opened, staged, {
        command: ['skilled update', ...args, ...flags].join(' '),
        verb: 'Update',
        issues,
        isForced: own['force'] === true,
        isDryRun: own['dry-run'] === true,
      });
    });
  },
};

/** `skilled outdated`: lists installed skills whose source has another version. */
export const outdated: CliCommand = {
  summary: 'List installed skills whose source has another version; exit 3 if there are any.',
  usage: `Usage: skilled outdated [skill]... [--user] [--json]

  skilled outdated

  --user  check the skills in ~/.agents/skills`,
  options: { user: { type: 'boolean' } },
  maxArgs: 100,
  async run(invocation) {
    const { flags, args, terminal } = invocation;
    return withInstall(invocation, configFor(invocation), async (opened) => {
      const { staged, errors } = await stageCurrent(invocation, opened, chosenNames(args, opened));
      const rows = staged
        .filter(({ name, entry }) => opened.lock.get(name)?.digest !== entry.digest)
        .map(({ name, entry }) => ({
          name,
          locked: versionOf(opened.lock.get(name)),
          current: versionOf(entry),
          source: entry.source ?? '',
        }));
      const failed = errors.map(({ name, error }) => ({ name, code: error.code, message: error.message }));
      if (flags.json) printJson(terminal, { ok: rows.length === 0, outdated: rows, failed });
      else {
        const titles = [{ title: 'NAME' }, { title: 'LOCKED' }, { title: 'CURRENT' }, { title: 'SOURCE' }];
        const cells = rows.map((row) => Object.values(row).map((text) => ({ text: oneLine(text) })));
        if (rows.length > 0) terminal.out(table(titles, cells, terminal));
        for (const { name, message } of failed) terminal.err(`${oneLine(`${name}: ${message}`)}\n`);
        if (rows.length === 0 && !flags.quiet) terminal.err('All installed skills are current.\n');
      }
      return rows.length === 0 ? 0 : 3;
    });
  },
};

function versionOf(entry: StagedSkill['entry'] | undefined): string {
  const { version, commit } = entry?.resolved ?? {};
  return version ?? commit?.slice(0, 12) ?? entry?.digest.slice(7, 19) ?? '';
}

function chosenNames(args: readonly string[], { lock }: OpenedInstall): readonly string[] {
  const names = args.map(normaliseName);
  const unknown = names.find((name) => lock.get(name)?.source === undefined);
  if (unknown !== undefined)
    throw new AgentError('skill.not-found', `"${unknown}" is not in the lock, or has no source.`, {
      hint: didYouMean(unknown, lock.keys()) ?? 'Only skills that `skilled add` installed can be updated.',
    });
  return names.length > 0
    ? names
    : [...lock].filter(([, { source }]) => source !== undefined).map(([name]) => name);
}

/** Fetches the current version of skills into the staging folder. Each source is opened once. */
async function stageCurrent(
  { own, flags, terminal }: Invocation,
  { target, lock, staging, agent, context, gitBase }: OpenedInstall,
  names: readonly string[],
): Promise<{
  readonly staged: readonly StagedSkill[];
  readonly errors: readonly { readonly name: string; readonly error: AgentError }[];
}> {
  const to = textFlag(own, 'to');
  const groups = [...Map.groupBy(names, (name) => lock.get(name)?.source ?? '')];
  const settled = await settleAll(groups, async ([text, some]) => {
    if (!flags.quiet) terminal.progress(`Fetching ${text}`);
    const parsed = parseSource(text, { gitBase, cwd: target.base });
    const source = to === undefined ? parsed : withVersion(parsed, to);
    await using tree = await openSource(source, context);
    const all = await skillsIn(tree, source, agent.families);
    return await settleAll(some, async (name) => {
      const found = all.find((skill) => skill.name === name);
      if (found === undefined) throw gone(name, text);
      if (digestAt(join(target.skills, name)) === undefined) throw missing(name);
      const staged = await stageSkill(
        target,
        staging,
        tree,
        found,
        to === undefined ? text : textWithVersion(text, to),
      );
      refuseMoved(lock.get(name), staged.entry, own['moved'] === true);
      return staged;
    });
  });
  const staged: StagedSkill[] = [];
  const errors: { readonly name: string; readonly error: AgentError }[] = [];
  for (const group of settled) {
    if ('error' in group) {
      errors.push(...group.item[1].map((name) => ({ name, error: group.error })));
      continue;
    }
    for (const one of group.result) {
      if ('error' in one) errors.push({ name: one.item, error: one.error });
      else staged.push(one.result);
    }
  }
  return { staged, errors };
}

function gone(name: string, source: string): AgentError {
  return new AgentError('source.changed', `${source} no longer has the skill "${name}".`, {
    hint: `Keep it as it is, or remove it: \`skilled remove ${name}\``,
  });
}

function missing(name: string): AgentError {
  return new AgentError('usage.not-found', `"${name}" is in the lock, but its folder is missing.`, {
    hint: 'Run `skilled install` first.',
  });
}

function asIssue(name: string, { message, hint }: AgentError): Issue {
  return {
    level: 'warning',
    code: 'install.not-updated',
    message: `"${name}" was not updated: ${message}`,
    ...(hint === undefined ? {} : { hint }),
  };
}
