import { join } from 'node:path';
import { AgentError, didYouMean, normaliseName, optional } from '../../../core/index.ts';
import { applyChanges, digestAt } from '../../../install/transaction.ts';
import { oneLine, pasteable, printJson, type CliCommand } from '../../command-kit.ts';
import { configFor, confirm, withInstall } from './opened.ts';

/** `skilled remove`: removes skills that the lock lists. */
export const remove: CliCommand = {
  summary: 'Remove skills that `skilled add` installed.',
  usage: `Usage: skilled remove <skill>... [--user] [--force] [--yes] [--json]

Removes only folders that the lock lists, and only with the files that it lists.

  skilled remove pdf

  --force  also remove files that were changed or added since
  --user   remove from ~/.agents/skills`,
  options: { user: { type: 'boolean' }, force: { type: 'boolean' } },
  maxArgs: 100,
  async run(invocation) {
    const { flags, own, args, terminal } = invocation;
    if (args.length === 0)
      throw new AgentError('usage.bad-input', 'Missing skill name.', {
        hint: 'Run `skilled remove <skill>`.',
      });
    const names = [...new Set(args.map(normaliseName))];
    return withInstall(invocation, configFor(invocation), async ({ target, lock, staging }) => {
      const changes = names.map((name) => {
        const entry = lock.get(name);
        const before = digestAt(join(target.skills, name));
        if (entry === undefined) throw notInstalled(name, [...lock.keys()]);
        if (before !== undefined && before !== entry.digest && own['force'] !== true) throw changed(name);
        return { name, ...optional('before', before) };
      });
      await confirm(invocation, `Remove ${oneLine(names.join(', '))}?`, `skilled remove ${names.join(' ')}`);
      applyChanges(target, staging, changes);
      if (flags.json) printJson(terminal, { ok: true, removed: names });
      else for (const name of names) terminal.out(`removed  ${oneLine(name)}\n`);
      if (!flags.json && !flags.quiet)
        terminal.err(
          pasteable('Trust in its digest stays. To revoke it: `skilled trust revoke <digest>`\n', terminal),
        );
      return 0;
    });
  },
};

function notInstalled(name: string, known: readonly string[]): AgentError {
  return new AgentError('skill.not-found', `"${name}" is not in the lock.`, {
    hint:
      didYouMean(name, known) ??
      'Only skills that `skilled add` installed can be removed. Delete other folders yourself.',
  });
}

function changed(name: string): AgentError {
  return new AgentError('skill.changed', `"${name}" has changed since it was installed.`, {
    hint: `\`skilled verify ${name}\` shows the files. To remove it with them, add --force.`,
  });
}
