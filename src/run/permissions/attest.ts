import { AgentError, type Scope, type Skill } from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { Kernel } from '../kernel.ts';
import type { CallTarget } from '../calls/frame.ts';

const space = 'vouched';
// Entries are kept for 30 days, because no run that uses the earlier files can wait longer.
const retentionMs = 30 * 24 * 3_600_000;

/**
 * Records that the version `to` of a bundle was generated from the version `from`, in this process and by a
 * skill defined in code. Trust in `from` then also applies to `to`.
 */
export async function attest(
  { kernel, registry }: Execution,
  { skill }: CallTarget,
  { dir, from, to }: Parameters<Scope['attest']>[0],
): Promise<void> {
  if (skill.codeDefinition === undefined) {
    throw new AgentError(
      'policy.denied',
      `"${skill.name}" cannot vouch for files because it has files of its own.`,
    );
  }
  if (from === to) return;
  await kernel.store.set(space, to, from, retentionMs);
  for (const { name } of registry.skills.filter((one) => one.dir === dir))
    await kernel.policy.inherit?.(from, { skill: name, digest: to, dir });
}

/**
 * Returns the digest of a skill's files. If the policy allowed a certain version, throws `skill.changed`
 * unless the files are that version or were generated from it.
 */
export async function mustBeAllowed(
  kernel: Pick<Kernel, 'store' | 'digestNow'>,
  skill: Skill,
  allowed: string | undefined,
): Promise<string | undefined> {
  const digest = kernel.digestNow(skill);
  if (allowed === undefined || (await isAttested(kernel, allowed, digest))) return digest;
  throw new AgentError('skill.changed', `The files of "${skill.name}" changed after it was allowed to run.`, {
    hint: 'Run it again.',
  });
}

/** The allowed version of each skill whose files the policy checked. */
export type Permitted = ReadonlyMap<Skill, string>;

/** The files that a skill's processes run. */
interface CheckedFiles {
  /**
   * The digest of the files. Undefined if the skill has no files, or if a digest cannot cover all of them.
   */
  readonly digest: string | undefined;
  /** The folder with the verified copy, or undefined if processes run from the skill's own folder. */
  readonly copy: string | undefined;
}

/**
 * Returns the files of a skill in the version that was allowed. Throws `skill.changed` if they have changed.
 */
export async function checkedFiles(
  kernel: Pick<Kernel, 'store' | 'digestNow' | 'copyOf'>,
  skill: Skill,
  permitted: Permitted,
): Promise<CheckedFiles> {
  const digest = await mustBeAllowed(kernel, skill, permitted.get(skill));
  return { digest, copy: digest === undefined ? undefined : kernel.copyOf(skill, digest) };
}

const maxGenerations = 100;

/**
 * Whether files have the digest `earlier`, or were generated from files with that digest by any process that
 * shares the store.
 */
export async function isAttested(
  { store }: Pick<Kernel, 'store'>,
  earlier: string | undefined,
  now: string | undefined,
): Promise<boolean> {
  let digest = now;
  for (let generation = 0; generation < maxGenerations && digest !== earlier; generation++) {
    const from = digest === undefined ? undefined : await store.get(space, digest);
    if (typeof from !== 'string') return false;
    digest = from;
  }
  return digest === earlier;
}
