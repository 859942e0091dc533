import {
  detach,
  fromErrorData,
  hashOf,
  type CodeCall,
  type CodeResult,
  type Grant,
  type Json,
  type Skill,
  type Snippet,
  type SnippetResult,
} from '../../core/index.ts';
import { copiesShown } from '../../skills/digest/bundle-files.ts';
import type { Frame, CallTarget } from '../calls/frame.ts';
import type { OpenedTo } from '../kernel.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { contentKey, skillError } from '../log/sanitize.ts';
import { checkedFiles, type Permitted } from '../permissions/attest.ts';
import { folderOf, placesOfSkills } from '../permissions/skill-files.ts';
import { once } from './step.ts';

/**
 * Calls a function in the files of a skill while its frame is open. Its process sees the checked copy of the version that
 * was allowed at the path of the skill, and runs from the copy itself where nothing can be mounted. A process is shared
 * by calls of the same version, with the same grant and for the same user.
 */
export async function runCode(
  execution: Execution,
  frame: Frame,
  { skill }: CallTarget,
  permitted: Permitted,
  call: CodeCall,
): Promise<CodeResult> {
  const { kernel, state } = execution;
  const { digest, copy } = await checkedFiles(kernel, skill, permitted);
  if (digest !== undefined) frame.ran.add(digest);
  const reach = kernel.reachOf(skill);
  const own = folderOf(skill);
  const isMounted = (await kernel.sandboxes?.contains()) !== false;
  const folder = isMounted ? own : (copy ?? own);
  const grant = grantOf(
    execution,
    { skill, folder, copy: isMounted ? copy : undefined },
    reach,
    call.memoryBytes,
  );
  const { user = '' } = state.started ?? {};
  const runner = await kernel.keeper.keep('code', kernel.openCode);
  const place = {
    key: hashOf([digest ?? frame.id, skill.dir, grant as unknown as Json, reach.processes, user]),
    grant,
    startsProcesses: reach.processes,
    // A process that sees the workspace finds the copy by a path of which others may rename the folders.
    isCurrent: () =>
      (copy !== undefined && reach.workspace === undefined) || kernel.digestNow(skill) === digest,
  };
  const module = own === undefined ? call.module : `${folder ?? own}${call.module.slice(own.length)}`;
  return runner.run(place, { ...call, module }, frame.signal);
}

/** Its own folder to read, and what settings open to it. No skill is changed by the code of one, wherever it may write. */
function grantOf(
  { kernel, registry }: Execution,
  { skill, folder, copy }: { skill: Skill; folder: string | undefined; copy: string | undefined },
  { read, hosts, workspace: access }: OpenedTo,
  memoryBytes: number,
): Grant {
  const { workspace, guarded } = kernel;
  const own = folder === undefined ? [] : [folder];
  const isGiven = workspace !== undefined && access !== undefined;
  const mayWrite = isGiven && access === 'write';
  return {
    read: [...new Set([...own, ...read, ...(isGiven && !mayWrite ? [workspace] : [])])],
    ...copiesShown(
      own.map((one) => [one, copy]),
      isGiven ? workspace : undefined,
    ),
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

/**
 * Runs a snippet as a step: what it came to, or why it failed, is kept and given again, so that it never runs twice for a
 * value. Its functions use the scope as they like; what runs snippets is opened with the first and closed with the agent.
 */
export async function runSnippet(
  execution: Execution,
  frame: Frame,
  snippet: Snippet,
): Promise<SnippetResult> {
  const { functions, ...request } = snippet;
  const names = Object.keys(functions ?? {});
  const key = frame.occurrence(contentKey('snippet', [request, names]));
  const { value, error } = await once(execution, frame, {
    key,
    request: null, // the key says it all
    mayWait: names.length > 0,
    started: (begun) => ({ event: { type: 'step.started', ...begun } }),
    effect: async () => {
      try {
        const { keeper, openSnippets } = execution.kernel;
        const snippets = await keeper.keep('snippets', openSnippets);
        const made = await snippets.run(snippet, frame.signal);
        return { type: 'step.ended', key, value: execution.clean(made) };
      } catch (thrown) {
        return { type: 'step.ended', key, error: execution.cleanError(skillError(thrown)) };
      }
    },
  });
  if (error !== undefined) throw fromErrorData(error);
  return detach(value) as unknown as SnippetResult;
}
