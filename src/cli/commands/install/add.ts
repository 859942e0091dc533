import { AgentError, normaliseName, type Issue } from '../../../core/index.ts';
import { chooseBundles, firstNames, type OfferedSkill } from '../../../install/find-bundles.ts';
import { openSource } from '../../../install/open-source.ts';
import { lockedSource, parseSource, textWithVersion, withVersion } from '../../../install/source.ts';
import { refuseMoved, skillsIn, stageSkill, withRequired, type StagedSkill } from '../../../install/stage.ts';
import { shellWord, textFlag, type CliCommand, type Invocation } from '../../command-kit.ts';
import { applyStaged } from './apply-staged.ts';
import { configFor, withInstall, type OpenedInstall } from './opened.ts';

/** `skilled add`: fetches skills, shows what they contain, and installs them after a confirmation. */
export const add: CliCommand = {
  summary: 'Install skills from a repository, a registry, a package, an archive or a folder.',
  usage: `Usage: skilled add <source> [--skill <name>]... [--plugin <name>]... [--all]
                  [--user] [--ref <ref>] [--dry-run] [--force] [--moved] [--yes] [--json]

A source is a git repository (owner/repo[/path][@ref], or any git URL), a site with skills
(https://host), an archive or a descriptor (https://host/skill.zip), a package
(npm:<package>[@range]), or a folder or an archive on this machine (./folder).

Shows files, scripts, tools, hosts, diagnostics and missing requirements, then asks.
Nothing of a skill runs. Skills go to .agents/skills, and their digests to
skilled-lock.json. Code in them still needs separate trust.

  skilled add owner/repo --skill pdf
  skilled add npm:@acme/skills@^2 --dry-run

  --skill    install only this skill; can be repeated
  --plugin   install only the skills of this plugin of a marketplace; can be repeated
  --all      install all skills of the source
  --user     install for you, in ~/.agents/skills
  --ref      the tag, branch, commit or package version
  --dry-run  only show what would be installed
  --force    replace a folder that has changes of its own
  --moved    accept a tag or version that now has other content`,
  options: {
    skill: { type: 'string', multiple: true },
    plugin: { type: 'string', multiple: true },
    all: { type: 'boolean' },
    user: { type: 'boolean' },
    ref: { type: 'string' },
    'dry-run': { type: 'boolean' },
    force: { type: 'boolean' },
    moved: { type: 'boolean' },
  },
  maxArgs: 1,
  async run(invocation) {
    const { args, own } = invocation;
    const [given] = args;
    if (given === undefined)
      throw new AgentError('usage.bad-input', 'Missing source.', { hint: 'Run `skilled add <source>`.' });
    const config = configFor(invocation);
    return withInstall(invocation, config, async (opened) => {
      const { staged, issues } = await stageAll(invocation, opened, given);
      return applyStaged(invocation, opened, staged, {
        command: commandText(invocation, given),
        verb: 'Install',
        issues,
        isForced: own['force'] === true,
        isDryRun: own['dry-run'] === true,
      });
    });
  },
};

async function stageAll(
  invocation: Invocation,
  opened: OpenedInstall,
  given: string,
): Promise<{ readonly staged: readonly StagedSkill[]; readonly issues: readonly Issue[] }> {
  const { own, flags, terminal } = invocation;
  const { target, staging, lock, context, agent, gitBase } = opened;
  const ref = textFlag(own, 'ref');
  const text = ref === undefined ? given : textWithVersion(given, ref);
  const parsed = parseSource(given, { gitBase, cwd: flags.cwd });
  const source = ref === undefined ? parsed : withVersion(parsed, ref);
  if (!flags.quiet) terminal.progress(`Fetching ${given}`);
  await using tree = await openSource(source, context);
  const all = await skillsIn(tree, source, agent.families);
  const chosen = await choose(invocation, all);
  const isInstalled = (name: string): boolean => lock.has(name) || agent.skills.get(name) !== undefined;
  const { skills, missing } = withRequired(chosen, all, isInstalled);
  const locked = lockedSource(text, source, target.base);
  const staged: StagedSkill[] = [];
  for (const skill of skills) {
    if (!flags.quiet) terminal.progress(`Checking ${skill.name}`);
    const one = await stageSkill(target, staging, tree, skill, locked);
    refuseMoved(lock.get(skill.name), one.entry, own['moved'] === true);
    staged.push(one);
  }
  return { staged, issues: missing };
}

/** Chooses the skills by the flags. Without flags, a source with several skills needs a choice. */
async function choose(
  { lists, own, flags, terminal }: Invocation,
  all: readonly OfferedSkill[],
): Promise<readonly OfferedSkill[]> {
  const { skill: names = [], plugin: plugins = [] } = lists;
  if (all.length === 0)
    throw new AgentError('skill.not-found', 'The source has no skills.', {
      hint: 'Check the address, and the folder after it.',
    });
  if (names.length + plugins.length > 0 || own['all'] === true || all.length === 1)
    return chooseBundles(all, { names, plugins });
  const offered = firstNames(all.map(({ name }) => name));
  if (terminal.ask === undefined || flags.json || flags.yes)
    throw new AgentError('usage.bad-input', `The source has ${all.length} skills: ${offered}.`, {
      hint: 'Name the ones to install with --skill, or install all with --all.',
      details: { skills: all.map(({ name }) => name) },
    });
  const answer = (await terminal.ask(`Which of ${offered}? (names, or all) `))?.trim() ?? '';
  if (answer === 'all') return all;
  const typed = answer
    .split(/[\s,]+/)
    .filter((name) => name !== '')
    .map(normaliseName);
  if (typed.length === 0)
    throw new AgentError('policy.denied', 'Nothing was chosen, so nothing was installed.', {
      hint: 'Name the skills to install with --skill.',
    });
  return chooseBundles(all, { names: typed, plugins: [] });
}

function commandText({ lists, own }: Invocation, source: string): string {
  const repeated = ['skill', 'plugin'].flatMap((flag) =>
    (lists[flag] ?? []).map((name) => `--${flag} ${shellWord(name)}`),
  );
  const flags = ['all', 'user', 'force', 'moved']
    .filter((flag) => own[flag] === true)
    .map((flag) => `--${flag}`);
  const ref = textFlag(own, 'ref');
  const version = ref === undefined ? [] : [`--ref ${shellWord(ref)}`];
  return ['skilled add', shellWord(source), ...repeated, ...version, ...flags].join(' ');
}
