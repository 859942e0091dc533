import { AgentError, type Scope, type Skill } from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import type { Kernel } from '../kernel.ts';
import type { CallTarget } from '../calls/frame.ts';

const space = 'vouched';
const keptMs = 30 * 24 * 3_600_000; // longer than anything waits that was begun with the files before

/** Takes it from a skill made in code that the files of a bundle were made here of others, so that trust in those counts. */
export async function vouchFor(
  { kernel, registry }: Execution,
  { skill }: CallTarget,
  { dir, from, to }: Parameters<Scope['attest']>[0],
): Promise<void> {
  if (skill.made === undefined) {
    throw new AgentError('policy.denied', `"${skill.name}" cannot vouch for files: it has some itself.`);
  }
  if (from === to) return;
  await kernel.store.set(space, to, from, keptMs);
  for (const { name } of registry.skills.filter((one) => one.dir === dir))
    await kernel.policy.inherit?.(from, { skill: name, digest: to, dir });
}

/** The digest of the files of a skill; throws `skill.changed` unless they are those that were allowed, where that was looked at, or were made of them. */
export async function mustBeAllowed(
  kernel: Pick<Kernel, 'store' | 'digestNow'>,
  skill: Skill,
  allowed: string | undefined,
): Promise<string | undefined> {
  const digest = kernel.digestNow(skill);
  if (allowed === undefined || (await isVouched(kernel, allowed, digest))) return digest;
  throw new AgentError('skill.changed', `The files of "${skill.name}" changed after it was allowed to run.`, {
    hint: 'Run it again.',
  });
}

/** The versions of the files of skills for which a call was allowed, where the policy looked at them. */
export type Permitted = ReadonlyMap<Skill, string>;

/** The files that processes of a skill run from. */
interface CheckedFiles {
  /** Undefined for a skill without files, or with files that no digest can cover. */
  readonly digest: string | undefined;
  /** The folder with the checked copy; undefined where they run from the folder of the skill itself. */
  readonly copy: string | undefined;
}

/** The files of a skill as they were allowed; throws `skill.changed` where they are others by now. */
export async function checkedFiles(
  kernel: Pick<Kernel, 'store' | 'digestNow' | 'copyOf'>,
  skill: Skill,
  permitted: Permitted,
): Promise<CheckedFiles> {
  const digest = await mustBeAllowed(kernel, skill, permitted.get(skill));
  return { digest, copy: digest === undefined ? undefined : kernel.copyOf(skill, digest) };
}

const mostGenerations = 100;

/** Whether files are those of an earlier digest, or were made of them, by any process on the same store. */
export async function isVouched(
  { store }: Pick<Kernel, 'store'>,
  earlier: string | undefined,
  now: string | undefined,
): Promise<boolean> {
  let digest = now;
  for (let generation = 0; generation < mostGenerations && digest !== earlier; generation++) {
    const from = digest === undefined ? undefined : await store.get(space, digest);
    if (typeof from !== 'string') return false;
    digest = from;
  }
  return digest === earlier;
}
