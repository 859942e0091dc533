import { hashOf } from '../core/canonical.ts';
import type { CodeCall, CodeResult } from '../core/code.ts';
import type { Json } from '../core/json.ts';
import type { Grant } from '../core/sandbox.ts';
import type { Skill } from '../core/skill.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { folderOf } from './place-of.ts';
import type { OpenedTo } from './runtime.ts';
import { placesOfSkills } from './places-of-skills.ts';
import type { Target } from './target.ts';
import { mustBeAllowed } from './vouch.ts';

/**
 * Calls a function in the files of a skill for as long as its frame goes on. A process is shared by calls of the same
 * version of the files, with the same grant and for the same user; `permitted` is the version that was allowed, where
 * that was looked at.
 */
export async function runCode(
  execution: Execution,
  frame: Frame,
  { skill }: Target,
  permitted: string | undefined,
  call: CodeCall,
): Promise<CodeResult> {
  const { kernel, state } = execution;
  const digest = await mustBeAllowed(kernel, skill, permitted);
  const reach = kernel.reachOf(skill);
  const grant = grantOf(execution, skill, reach, call.memoryBytes);
  const { user = '' } = state.started ?? {};
  const runner = await kernel.keeper.keep('code', kernel.openCode);
  const place = {
    key: hashOf([digest ?? frame.id, skill.dir, grant as unknown as Json, reach.processes, user]),
    grant,
    startsProcesses: reach.processes,
    isCurrent: () => kernel.digestNow(skill) === digest,
  };
  return runner.run(place, call, frame.signal);
}

/** Its own folder to read, and what settings open to it. No skill is changed by the code of one, wherever it may write. */
function grantOf(
  { kernel, registry }: Execution,
  skill: Skill,
  { read, hosts, workspace: access }: OpenedTo,
  memoryBytes: number,
): Grant {
  const { workspace, guarded } = kernel;
  const folder = folderOf(skill);
  const own = folder === undefined ? [] : [folder];
  const isGiven = workspace !== undefined && access !== undefined;
  const mayWrite = isGiven && access === 'write';
  return {
    read: [...new Set([...own, ...read, ...(isGiven && !mayWrite ? [workspace] : [])])],
    write: mayWrite ? [workspace] : [],
    ...guarded,
    ...(mayWrite
      ? { keep: [...new Set([...(guarded.keep ?? []), ...placesOfSkills(registry.skills, workspace)])] }
      : {}),
    hosts,
    environment: {
      ...kernel.environmentOf(skill),
      AI_AGENT: 'skilled',
      ...(folder === undefined ? {} : { SKILLED_SKILL_DIR: folder }),
      ...(isGiven ? { SKILLED_PROJECT_DIR: workspace } : {}),
    },
    limits: { memoryBytes },
  };
}
