import { AgentError } from '../core/error.ts';
import type { Scope } from '../core/scope.ts';
import type { Execution } from './execution.ts';
import type { Kernel } from './kernel.ts';
import type { Target } from './target.ts';

const space = 'vouched';
const keptMs = 30 * 24 * 3_600_000; // longer than anything waits that was begun with the files before

/** Takes it from a skill made in code that the files of a bundle were made here of others, so that trust in those counts. */
export async function vouchFor(
  { kernel, registry }: Execution,
  { skill }: Target,
  { dir, from, to }: Parameters<Scope['vouch']>[0],
): Promise<void> {
  if (skill.made === undefined) {
    throw new AgentError('policy.denied', `"${skill.name}" cannot vouch for files: it has some itself.`);
  }
  if (from === to) return;
  await kernel.store.set(space, to, from, keptMs);
  for (const { name } of registry.skills.filter((one) => one.dir === dir))
    await kernel.policy.inherit?.(from, { skill: name, digest: to, dir });
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
