import { familyOf } from '../core/family-of.ts';
import type { Json } from '../core/json.ts';
import { optional } from '../core/optional.ts';
import type { PermissionRequest, PermissionSubject } from '../core/policy.ts';
import type { Skill } from '../core/skill.ts';
import type { Registry } from '../skills/registry.ts';
import { runsCode } from '../skills/runs-code.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import type { Kernel } from './kernel.ts';
import { reachedAs } from './known-as.ts';
import type { Target } from './target.ts';

/** A call as a policy sees it; `looked` gets the digests that it looks at; throws `sandbox.unavailable` where its processes must be contained and cannot. */
export async function permissionRequest(
  { kernel, registry }: Pick<Execution, 'kernel' | 'registry'>,
  { skill: caller, active }: Pick<Frame, 'skill' | 'active'>,
  target: Target,
  input: Json,
  looked = new Map<Skill, string>(),
): Promise<PermissionRequest> {
  const { skill, family, definition } = target;
  const permission = family.permission?.(definition) ?? {};
  const subject = (one: Skill): PermissionSubject => {
    const name = reachedAs(registry, one);
    return {
      ...{ skill: name, aliases: name === one.name ? one.aliases : [one.name, ...one.aliases] },
      ...{ source: one.source, dir: one.dir, made: one.made !== undefined },
      digest: () => {
        const digest = kernel.digestNow(one);
        if (digest === undefined) looked.delete(one);
        else looked.set(one, digest);
        return digest;
      },
      ...optional('tools', one.card.allowedTools),
    };
  };
  return {
    ...subject(skill),
    family: family.id,
    runsCode: runsCode(skill, family.runsCode?.(definition) === true),
    permission,
    input,
    workspace: kernel.workspace,
    contained:
      !(permission.runsProcesses === true || permission.runsOwnCode === true) ||
      (await kernel.sandboxes?.contains()) !== false,
    ...optional(
      'caller',
      caller && { ...subject(caller), runsCode: () => canRunCode(kernel, registry, caller) },
    ),
    ...(active.size === 0 ? {} : { active: [...active].map(subject) }),
  };
}

function canRunCode(kernel: Kernel, { families }: Registry, skill: Skill): boolean {
  const family = familyOf(families, skill);
  if (family === undefined) return false;
  const says = family.runsCode?.(kernel.definitionOf(skill, family)) === true;
  return runsCode(skill, says);
}
