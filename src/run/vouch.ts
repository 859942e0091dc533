import { AgentError } from '../core/error.ts';
import type { Scope } from '../core/scope.ts';
import type { Execution } from './execution.ts';
import type { Kernel } from './kernel.ts';
import type { Target } from './target.ts';

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
  kernel.vouched.set(to, from);
  for (const { name } of registry.skills.filter((one) => one.dir === dir))
    await kernel.policy.inherit?.(from, { skill: name, digest: to, dir });
}

/** Whether files are those that were allowed, or were made of them here. */
export function isVouched({ vouched }: Pick<Kernel, 'vouched'>, allowed: string, now: string): boolean {
  const seen = new Set<string>();
  for (let digest: string | undefined = now; digest !== undefined; digest = vouched.get(digest)) {
    if (digest === allowed) return true;
    if (seen.has(digest)) return false;
    seen.add(digest);
  }
  return false;
}
