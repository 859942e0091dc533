import { installedSkills } from '../../../config/install.ts';
import { AgentError, normaliseName, optional } from '../../../core/index.ts';
import { oneLine, openAgent, printJson, type Invocation } from '../../command-kit.ts';
import { findRun } from '../../runs/run-id.ts';
import { mustRead } from '../../runs/run-store.ts';
import { originJson, originText } from '../install/origin.ts';

/** Shows which version of a skill a run used, and whether it is the one that is here now. */
export async function showVersion(invocation: Invocation, name: string, runArg: string): Promise<number> {
  const { flags, terminal } = invocation;
  const skillName = normaliseName(name);
  await using history = mustRead(invocation, runArg);
  const run = await findRun(history, runArg);
  const events = await history.runs.events(run.id);
  const digests = events.flatMap((event) =>
    event.type === 'frame.started' && event.skill === skillName ? [event.digest] : [],
  );
  if (digests.length === 0)
    throw new AgentError('usage.not-found', `The run ${run.id} did not call "${skillName}".`, {
      hint: `\`skilled trace ${run.id}\` shows which skills it called.`,
    });
  const versions = [...new Set(digests.filter((digest) => digest !== undefined))];
  await using agent = await openAgent(flags);
  const skill = agent.skills.get(skillName);
  const now = skill === undefined ? undefined : agent.skills.digestNow(skill);
  const origin = skill === undefined ? undefined : installedSkills(flags.cwd).get(skill.dir);
  const shown = versions.map((digest) => ({
    digest,
    isCurrent: digest === now,
    ...optional('origin', origin?.digest === digest ? originJson(origin) : undefined),
  }));
  if (flags.json) {
    printJson(terminal, {
      ok: true,
      run: run.id,
      skill: skillName,
      versions: shown,
      ...optional('current', now),
    });
    return 0;
  }
  for (const { digest, isCurrent } of shown) {
    const from = origin?.digest === digest ? originText(origin) : '';
    const state = isCurrent ? 'the current version' : 'not the current version';
    terminal.out(`${oneLine([digest, state, from].filter((text) => text !== '').join('  '))}\n`);
  }
  if (versions.length === 0) terminal.out('It is defined in code, so it has no digest.\n');
  else if (now !== undefined && !versions.includes(now) && !flags.quiet) terminal.err(`Now here: ${now}\n`);
  return 0;
}
