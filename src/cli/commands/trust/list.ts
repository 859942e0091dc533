import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { settingsSources, uncountedKeys, type SettingsSources } from '../../../config/read/settings.ts';
import { ownTrustBook, projectDigest, projectState, trustedFiles } from '../../../config/trust.ts';
import { optional } from '../../../core/collections.ts';
import { howToTrust, placeOf, reachedName, runningFiles, trustOf } from '../../../doctor/trust.ts';
import type { Invocation } from '../../command.ts';
import { openAgent } from '../../open-agent.ts';
import { printJson } from '../../output/json.ts';
import { pasteable } from '../../output/pasteable.ts';
import type { ListedProject, ListedSkill } from './listed.ts';
import { trustTable } from './trust-table.ts';

type Book = ReturnType<typeof ownTrustBook>;

/** What is trusted, what asks for it here, and whether the settings of this project are believed. */
export async function listTrust({ flags, terminal }: Invocation): Promise<number> {
  await using agent = await openAgent(flags);
  const book = ownTrustBook();
  const entries = book.list();
  const skills = listedSkills(agent, book);
  const project = listedProject(settingsSources(flags.cwd, { isSafe: flags.safe }), book);
  if (flags.json) {
    printJson(terminal, { ok: true, skills, ...optional('project', project), ...entries });
    return 0;
  }
  const shown = trustTable({ skills, project, entries }, terminal);
  terminal.out(shown);
  if (flags.quiet) return 0;
  if (shown === '') terminal.err('Nothing is trusted, and nothing here asks for it.\n');
  const say = (line: string): void => terminal.err(`${pasteable(line, terminal)}\n`);
  const needed = skills.filter(({ trust }) => trust === 'needed').map(({ name }) => name);
  if (needed.length > 0) say(`What is not trusted is asked about before it runs. ${howToTrust(needed)}`);
  if (project !== undefined && project.uncounted.length > 0) {
    const keys = project.uncounted.join(', ');
    say(
      `Does not count in the settings of this project: ${keys}. To trust them as they are: \`skilled trust grant .\``,
    );
  }
  return 0;
}

function listedSkills(agent: RecursiveSkilledAgent, book: Book): readonly ListedSkill[] {
  const { bundles } = book.list();
  return agent.skills.list().flatMap((skill): ListedSkill[] => {
    const state = trustOf(agent, book, skill);
    if (state === undefined) return [];
    const { source } = skill;
    const name = reachedName(agent, skill);
    const dir = placeOf(skill);
    const changed = state.trust === 'needed' && bundles.some((known) => known.dir === dir);
    const files = runningFiles(agent, skill);
    return [{ name, source, dir, ...state, files, ...(changed ? { changed } : {}) }];
  });
}

function listedProject(sources: SettingsSources, book: Book): ListedProject | undefined {
  const state = projectState(sources);
  const digest = state && projectDigest(state);
  if (state === undefined || digest === undefined) return undefined;
  const files = trustedFiles(state);
  const { folder } = state;
  const trusted = book.isTrustedProject(folder, digest);
  const changed = !trusted && book.list().projects.some((known) => known.folder === folder);
  const uncounted = uncountedKeys(sources);
  return { folder, digest, files, trusted, ...(changed ? { changed } : {}), uncounted };
}
