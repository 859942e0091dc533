import { installConfig, type InstallConfig } from '../../../config/install.ts';
import { AgentError, isAgentError } from '../../../core/index.ts';
import { openBlobCache, type BlobCache } from '../../../install/blob-cache.ts';
import { withTarget } from '../../../install/exclusive.ts';
import { readLock, type SkillLock } from '../../../install/lock-file.ts';
import { openInstallStaging, type InstallStaging } from '../../../install/transaction.ts';
import {
  mustBeFolder,
  oneLine,
  openAgent,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';

/** The configuration, lock, agent and staging folder of a command for installed skills. */
export interface OpenedInstall extends InstallConfig {
  readonly lock: SkillLock;
  readonly staging: InstallStaging;
  readonly blobs: BlobCache;
  readonly agent: RecursiveSkilledAgent;
}

/** Returns the configuration for a command, with the project or the user as target. */
export function configFor({ flags, own }: Invocation): InstallConfig {
  mustBeFolder(flags.cwd, '--cwd');
  const isOffline = flags.offline === true;
  return installConfig(flags.cwd, { isUser: own['user'] === true, isSafe: flags.safe, isOffline });
}

/**
 * Runs work while no other process changes the installed skills of the target. Says so once if it has to wait
 * for another process.
 */
export async function withInstall<Result>(
  invocation: Invocation,
  config: InstallConfig,
  work: (opened: OpenedInstall) => Promise<Result>,
): Promise<Result> {
  const { flags, terminal } = invocation;
  const onWait = (): void => {
    if (!flags.quiet)
      terminal.err(`Another process is installing skills in ${oneLine(config.target.base)}. Waiting.\n`);
  };
  return withTarget(config.target, { onWait }, async () => {
    await using agent = await openAgent({ ...flags, safe: true });
    using staging = openInstallStaging(config.target);
    const lock = readLock(config.target.lockFile);
    return await work({ ...config, lock, staging, blobs: openBlobCache(config.cache), agent });
  });
}

/**
 * Asks the user to confirm, unless `--yes` was given. Throws `usage.bad-input` if there is no terminal to ask at, and
 * `policy.denied` if the answer is no.
 */
export async function confirm(
  { flags, terminal }: Invocation,
  question: string,
  command: string,
): Promise<void> {
  if (flags.yes) return;
  if (terminal.ask === undefined || flags.json)
    throw new AgentError('usage.bad-input', 'Nothing was changed, because this needs a confirmation.', {
      hint: `Review with --dry-run, then run \`${command} --yes\`.`,
    });
  await terminal.forgetTyped?.(); // Keys typed before the question must not answer it.
  const answer = (await terminal.ask(`${question} [y/N] `))?.trim().toLowerCase();
  if (answer === 'y' || answer === 'yes') return;
  throw new AgentError('policy.denied', 'Nothing was changed.', { hint: 'Answer y to confirm.' });
}

/** Runs work for each item and collects the errors, so that one failure does not hide the others. */
export async function settleAll<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<
  readonly ({ readonly item: Item } & ({ readonly result: Result } | { readonly error: AgentError }))[]
> {
  return Promise.all(
    items.map(async (item) => {
      try {
        return { item, result: await work(item) };
      } catch (thrown) {
        if (!isAgentError(thrown)) throw thrown;
        return { item, error: thrown };
      }
    }),
  );
}
