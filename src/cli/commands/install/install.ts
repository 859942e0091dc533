import { AgentError, counted } from '../../../core/index.ts';
import { findRestorable, restoreSkills } from '../../../install/restore.ts';
import { changeFor } from '../../../install/stage.ts';
import { applyChanges } from '../../../install/transaction.ts';
import { oneLine, pasteable, printJson, type CliCommand } from '../../command-kit.ts';
import { configFor, withInstall } from './opened.ts';

/** `skilled install`: installs everything in the lock, exactly as it was locked. */
export const install: CliCommand = {
  summary: 'Install everything in the lock, exactly as it was locked.',
  usage: `Usage: skilled install [--frozen] [--force] [--user] [--json]

Fetches missing skills in parallel and checks every file against the lock. Uses the cache
if it has all files, so that it works without a network. Skills with changes of your own
are left alone. In continuous integration (CI is set), --frozen is the default.

  skilled install
  skilled install --frozen

  --frozen     fail if an installed skill differs from the lock
  --no-frozen  leave such skills alone, also in continuous integration
  --force      replace skills that have changes of their own
  --user       install the skills in ~/.agents/skilled-lock.json`,
  options: { frozen: { type: 'boolean' }, force: { type: 'boolean' }, user: { type: 'boolean' } },
  async run(invocation) {
    const { flags, own, terminal } = invocation;
    const config = configFor(invocation);
    const isFrozen = own['frozen'] === undefined ? config.isCi : own['frozen'] === true;
    return withInstall(invocation, config, async (opened) => {
      const { target, lock, staging, blobs, agent, gitBase, context } = opened;
      if (lock.size === 0 && !flags.json && !flags.quiet)
        terminal.err(
          pasteable(
            `${oneLine(target.lockFile)} lists no skills. To install some: \`skilled add <source>\`\n`,
            terminal,
          ),
        );
      const { missing, changed } = findRestorable(target, lock);
      const isForced = own['force'] === true;
      if (isFrozen && changed.length > 0 && !isForced) throw differs(changed);
      const names = isForced ? [...missing, ...changed] : missing;
      if (names.length > 0 && !flags.quiet) terminal.progress(`Installing ${counted(names.length, 'skill')}`);
      const defaults = { gitBase, cwd: flags.cwd };
      const restore = { target, staging, blobs, families: agent.families, defaults, context };
      const staged = await restoreSkills(names, lock, restore);
      if (staged.length > 0) applyChanges(target, staging, staged.map(changeFor));
      for (const { files } of staged) blobs.keep(files);
      const left = isForced ? [] : changed;
      if (flags.json) {
        const installed = staged.map(({ name, entry }) => ({ name, digest: entry.digest, path: entry.path }));
        printJson(terminal, {
          ok: true,
          installed,
          changed: left,
          unchanged: lock.size - staged.length - left.length,
        });
        return 0;
      }
      for (const { name, entry } of staged)
        terminal.out(`installed  ${oneLine(name)}  ${entry.digest.slice(7, 19)}\n`);
      for (const name of left)
        terminal.err(
          pasteable(
            `Left alone, because it has changes: ${name}. To replace it: \`skilled install --force\`\n`,
            terminal,
          ),
        );
      if (!flags.quiet && lock.size > 0)
        terminal.err(
          `${counted(staged.length, 'skill')} installed, ${lock.size - staged.length - left.length} already there.\n`,
        );
      return 0;
    });
  },
};

function differs(names: readonly string[]): AgentError {
  return new AgentError('skill.changed', `Installed skills differ from the lock: ${names.join(', ')}.`, {
    hint: '`skilled verify` shows the files. To replace them, add --force.',
    details: { skills: names },
  });
}
