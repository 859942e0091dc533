import { hasEnded } from '../../core/index.ts';
import type { Kernel } from '../kernel.ts';
import { preparationId } from '../log/sanitize.ts';
import { decide, permissionRequest } from '../permissions/permit.ts';
import type { CallTarget } from './frame.ts';
import { invoke } from './invoke.ts';
import { isDue, preparationOf, versionKey } from './prepare.ts';
import { openTarget } from './resolve.ts';

/** A preparation that can begin before anybody calls the skill. */
export interface EarlyPreparation {
  readonly skill: string;
  /** The run that does it. */
  readonly runId: string;
  /** The version of the skill: it is prepared early once. */
  readonly version: string | object;
  /** Does it, or joins the call that does it already; rejects where it fails. */
  begin(): Promise<unknown>;
}

/**
 * What there is to prepare of a skill before its first call; undefined where its family does not want that, a person
 * would have to be asked about a call, or an earlier process came to an end with it. What failed then is tried again
 * by whoever calls the skill, or when its files change.
 */
export async function earlyPreparation(kernel: Kernel, name: string): Promise<EarlyPreparation | undefined> {
  const target = openEarly(kernel, name);
  if (target === undefined || !(await isFree(kernel, target))) return undefined;
  const version = versionKey(target);
  const runId = kernel.preparations.get(version)?.runId ?? preparationId(target.digest);
  const [run] = await kernel.store.runs({ ids: [runId] });
  const isOver = run !== undefined && hasEnded(run.status);
  if (isOver && !(run.status === 'done' && isDue(target) === true)) return undefined;
  return {
    skill: target.skill.name,
    runId,
    version,
    begin: () => preparationOf(kernel, target, invoke, runId).ready,
  };
}

function openEarly(kernel: Kernel, name: string): CallTarget | undefined {
  const registry = kernel.registry();
  const skill = registry.lookup.find(name);
  if (skill?.status !== 'ready') return undefined;
  try {
    const target = openTarget({ registry, kernel }, skill);
    const { family, definition } = target;
    const isEarly =
      family.generation?.prepare !== undefined && family.generation.isEarly?.(definition) === true;
    return isEarly && isDue(target) !== false ? target : undefined;
  } catch {
    return undefined; // its files changed or cannot be read: whoever calls it learns that
  }
}

/** Whether the policy lets a person call it without a question. */
async function isFree(kernel: Kernel, target: CallTarget): Promise<boolean> {
  const registry = kernel.registry();
  const person = { skill: undefined, active: new Set<never>() };
  try {
    const request = await permissionRequest({ kernel, registry }, person, target, null);
    return (await decide({ kernel }, request)).decision === 'allow';
  } catch {
    return false; // nothing contains its processes, which the call itself will say
  }
}
