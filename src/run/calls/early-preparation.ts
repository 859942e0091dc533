import { AgentError, fromErrorData, hasEnded, type ErrorData } from '../../core/index.ts';
import type { Kernel } from '../kernel.ts';
import { readLog } from '../log/read-log.ts';
import { preparationId } from '../log/sanitize.ts';
import { decide, permissionRequest } from '../permissions/permit.ts';
import type { CallTarget } from './frame.ts';
import { invoke } from './invoke.ts';
import { isDue, preparationOf, versionKey } from './prepare.ts';
import { openTarget } from './resolve.ts';

/** A skill's preparation that can begin before the skill is called. */
export interface EarlyPreparation {
  readonly skill: string;
  /** The id of the run that prepares the skill. */
  readonly runId: string;
  /** The skill's version. Each version is prepared early only once. */
  readonly version: string | object;
  /** The path of the skill's descriptor. */
  readonly file: string;
  /**
   * Starts the preparation, or joins it if it is in progress. Rejects if the preparation fails, has failed
   * before, or left files that still need to be generated.
   */
  begin(): Promise<unknown>;
  /** Whether the skill has been prepared, either early or by a call. */
  isDone(): boolean;
}

/**
 * Returns a skill's early preparation. Returns undefined if its family does not prepare skills early, if a
 * call would need the user's approval, or if an earlier process finished the preparation. A failed
 * preparation is retried when the skill is called or its files change; until then it fails again with the
 * recorded error.
 */
export async function earlyPreparation(kernel: Kernel, name: string): Promise<EarlyPreparation | undefined> {
  const target = openEarly(kernel, name);
  if (target === undefined || !(await isFree(kernel, target))) return undefined;
  const version = versionKey(target);
  const runId = kernel.preparations.get(version)?.runId ?? preparationId(target.digest);
  const [run] = await kernel.store.runs({ ids: [runId] });
  const isOver = run !== undefined && hasEnded(run.status);
  const isFailed = run?.status === 'failed';
  if (isOver && !isFailed && !(run.status === 'done' && isDue(target) === true)) return undefined;
  return {
    skill: target.skill.name,
    runId,
    version,
    file: target.skill.file,
    begin: () => (isFailed ? failAgain(kernel, runId) : begin(kernel, target, runId)),
    isDone: () => isDue(target) === false || kernel.preparations.get(version)?.result !== undefined,
  };
}

/**
 * Prepares a skill. Checks its files afterwards, because a family may generate nothing without throwing an
 * error.
 */
async function begin(kernel: Kernel, target: CallTarget, runId: string): Promise<void> {
  await preparationOf(kernel, target, invoke, runId).ready;
  const error = isDue(target) === true ? await failedCall(kernel, runId) : undefined;
  if (error !== undefined) throw fromErrorData(error);
}

/** Returns the error of the last failed call in a preparation's run. */
async function failedCall({ store }: Kernel, runId: string): Promise<ErrorData | undefined> {
  for (const event of (await readLog(store, runId)).toReversed()) {
    if (event.type === 'call.refused') return event.error;
    if (event.type === 'frame.ended' && event.output.status === 'failed') return event.output.error;
  }
  return undefined;
}

/** Rejects with the error that a failed preparation recorded. */
async function failAgain({ store }: Kernel, runId: string): Promise<never> {
  const ended = (await readLog(store, runId)).findLast((event) => event.type === 'run.ended');
  if (ended?.output.status === 'failed') throw fromErrorData(ended.output.error);
  throw new AgentError('internal.bug', `The preparation ${runId} failed without an error.`);
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
    return undefined; // The first call to the skill reports changed or unreadable files.
  }
}

/** Whether the policy lets a user call the skill without approval. */
async function isFree(kernel: Kernel, target: CallTarget): Promise<boolean> {
  const registry = kernel.registry();
  const person = { skill: undefined, active: new Set<never>() };
  try {
    const request = await permissionRequest({ kernel, registry }, person, target, null);
    return (await decide({ kernel }, request)).decision === 'allow';
  } catch {
    return false; // The call itself reports that the sandbox is missing.
  }
}
