import { optional } from '../../core/collections.ts';
import type { RunResult } from '../../core/run.ts';
import type { Command, Invocation } from '../command.ts';
import { withHint } from '../hints.ts';
import { limitFlags, limitFlagsHelp, limitsOf } from '../limit-flags.ts';
import { chosenModels, modelFlags, modelFlagsHelp } from '../model-flags.ts';
import { openAgent } from '../open-agent.ts';
import { printJson } from '../output/json.ts';
import { pasteable } from '../output/pasteable.ts';
import { roleFlags, roleFlagsHelp } from '../role-flags.ts';
import { placeOf, prepareStore } from '../run-store.ts';
import { exitCodeFor } from '../running/conclude.ts';
import { buildSkill } from './build/build-skill.ts';
import { nothingToBuild } from './build/nothing-to-build.ts';
import { skillsToBuild } from './build/skills-to-build.ts';

/** `skilled build`: makes what skills are made of, such as code of specs, one skill after the other; the exit code is that of the first failure. */
export const build: Command = {
  summary: 'Make what skills are made of: code of specs.',
  usage: `Usage: skilled build [skill...] [--force] [flags]

Only what is not up to date is made. Without a name, every skill is built that is made
of something. What fails leaves the old code in its place. Limits are those of each skill.

  skilled build csv-stats --force

  --force               make everything again, also what is up to date, failed before or
                        was edited by hand
${roleFlagsHelp}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: { force: { type: 'boolean' }, ...roleFlags, ...limitFlags, ...modelFlags },
  mostWords: Infinity,
  async run(invocation) {
    const { flags, words, terminal } = invocation;
    const limits = limitsOf(invocation.own);
    const { where: store, retentionDays } = placeOf(flags);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store,
      ...optional('retentionDays', retentionDays),
    });
    const skills = skillsToBuild(agent, words);
    if (skills.length > 0) await prepareStore(invocation);
    const results: RunResult[] = [];
    for (const skill of skills) {
      const { result, isInterrupted } = await buildSkill(agent, invocation, { skill, limits });
      results.push(result);
      if (!isInterrupted) continue;
      await agent.shutdown({ drainMs: 0 }); // nobody waits for what goes on beside it
      break;
    }
    if (flags.json) printJson(terminal, documentOf(results, invocation));
    else if (skills.length === 0 && !flags.quiet) terminal.err(pasteable(nothingToBuild(agent), terminal));
    return results.map(exitCodeFor).find((code) => code !== 0) ?? 0;
  },
};

function documentOf(results: readonly RunResult[], { flags }: Invocation): object {
  const shown = results.map(({ error, ...result }) => ({
    ...result,
    ...optional('error', error && withHint(error, flags.safe)),
  }));
  return { ok: results.every(({ ok }) => ok), results: shown };
}
