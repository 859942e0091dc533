import { AgentError, counted } from '../../../core/index.ts';
import { readLock } from '../../../install/lock-file.ts';
import { verifySkills } from '../../../install/verify.ts';
import { oneLine, paint, pasteableRows, printJson, type CliCommand } from '../../command-kit.ts';
import { configFor } from './opened.ts';
import { differenceLines } from './staged-review.ts';

/** `skilled verify`: compares every installed file with the lock. Exits with 3 if one differs. */
export const verify: CliCommand = {
  summary: 'Compare every installed file with the lock; exit 3 if one differs.',
  usage: `Usage: skilled verify [skill] [--user] [--json]

  skilled verify

  --user  verify the skills in ~/.agents/skills`,
  options: { user: { type: 'boolean' } },
  maxArgs: 1,
  async run(invocation) {
    const { flags, args, terminal } = invocation;
    const [name] = args;
    const { target } = configFor(invocation);
    const lock = readLock(target.lockFile);
    if (name !== undefined && !lock.has(name))
      throw new AgentError('skill.not-found', `"${name}" is not in ${target.lockFile}.`, {
        hint: '`skilled list` shows which skills are installed.',
      });
    const chosen = new Map([...lock].filter(([skill]) => name === undefined || skill === name));
    const results = verifySkills(target, chosen);
    const isOk = results.every(({ state }) => state === 'ok');
    if (flags.json) printJson(terminal, { ok: isOk, lock: target.lockFile, skills: results });
    else {
      for (const result of results) {
        if (result.state === 'ok') continue;
        terminal.out(`${paint(result.state, 'red', terminal)}  ${oneLine(result.name)}\n`);
        terminal.out(differenceLines(result, terminal).join(''));
      }
      const files = [...chosen.values()].reduce((sum, { files }) => sum + Object.keys(files).length, 0);
      const checked = `${counted(results.length, 'skill')} and ${counted(files, 'file')} checked`;
      const note = isOk
        ? `${checked}, all as in the lock.`
        : `${checked}. To restore them: \`skilled install --force\``;
      if (!flags.quiet) terminal.err(`${pasteableRows(note, terminal)}\n`);
    }
    return isOk ? 0 : 3;
  },
};
