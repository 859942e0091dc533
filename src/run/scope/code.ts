import {
  acceptRenamed,
  detach,
  fromErrorData,
  hashOf,
  optional,
  type CodeCall,
  type CodeResult,
  type Grant,
  type Json,
  type Skill,
  type Snippet,
  type SnippetResult,
} from '../../core/index.ts';
import { copiesShown } from '../../skills/digest/bundle-files.ts';
import { copyOfShared } from '../../skills/digest/copy-bundle.ts';
import { sharedModules } from '../../skills/digest/shared-modules.ts';
import type { Frame, CallTarget } from '../calls/frame.ts';
import type { OpenedTo } from '../kernel.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { contentKey, skillError } from '../log/sanitize.ts';
import { checkedFiles, type Permitted } from '../permissions/attest.ts';
import { folderOf, workspaceSkillPaths } from '../permissions/skill-files.ts';
import { once } from './step.ts';

/**
 * Calls a function in a skill's files while the skill's frame is open. The process sees a verified copy of
 * the allowed version at the skill's path. If nothing can be mounted, the process runs from the copy's own
 * path. Calls with the same version, grant and user share a process.
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
  const modules = own === undefined ? [] : sharedModules(skill);
  const isMounted = (await kernel.sandboxes?.contains()) !== false;
  const shown = isMounted ? copy : undefined;
  const shared = modules.map((module): ShownFile => [module.path, shown && copyOfShared(shown, module)]);
  // The code imports shared modules by relative path, so it works only at the skill's path.
  const folder = isMounted || shared.length > 0 ? own : (copy ?? own);
  const grant = grantOf(execution, { skill, folder, copy: shown, shared }, reach, call.memoryBytes);
  const { user = '' } = state.started ?? {};
  const runner = await kernel.resources.open('code', kernel.openCode);
  const context = {
    key: hashOf([digest ?? frame.id, skill.dir, grant as unknown as Json, reach.processes, user]),
    grant,
    startsProcesses: reach.processes,
    // A copy is not sufficient if the process can access the workspace, because other code may then rename
    // the copy's parent folders. Without a mounted copy, shared modules are read at their own paths.
    isCurrent: () =>
      (copy !== undefined && (isMounted || shared.length === 0) && reach.workspace === undefined) ||
      kernel.digestNow(skill) === digest,
  };
  const module = own === undefined ? call.module : `${folder ?? own}${call.module.slice(own.length)}`;
  return runner.run(context, { ...call, module }, frame.signal);
}

/** A file or folder of a skill, and the copy that the process sees instead, if any. */
type ShownFile = readonly [path: string, copy: string | undefined];

/**
 * Builds the grant for a skill's code: read access to its folder and its shared modules, and the access that
 * the settings allow. Skill code cannot change any skill, even in a folder that it may write to.
 */
function grantOf(
  { kernel, registry }: Execution,
  {
    skill,
    folder,
    copy,
    shared,
  }: {
    skill: Skill;
    folder: string | undefined;
    copy: string | undefined;
    shared: readonly ShownFile[];
  },
  { read, hosts, workspace: access }: OpenedTo,
  memoryBytes: number,
): Grant {
  const { workspace, protectedPaths } = kernel;
  const own = folder === undefined ? [] : [folder];
  const sharedPaths = shared.map(([path]) => path);
  const isGiven = workspace !== undefined && access !== undefined;
  const mayWrite = isGiven && access === 'write';
  return {
    read: [...new Set([...own, ...sharedPaths, ...read, ...(isGiven && !mayWrite ? [workspace] : [])])],
    ...copiesShown([...own.map((one): ShownFile => [one, copy]), ...shared], isGiven ? workspace : undefined),
    write: mayWrite ? [workspace] : [],
    ...protectedPaths,
    ...(mayWrite
      ? {
          readOnly: [
            ...new Set([
              ...(protectedPaths.readOnly ?? []),
              ...workspaceSkillPaths(registry.skills, workspace),
              ...sharedPaths,
            ]),
          ],
        }
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
 * Runs a snippet as a step. Its result or error is recorded and reused, so the snippet never runs twice. The
 * snippet's functions may use the scope freely. The runner is opened with the first snippet and closed with
 * the agent.
 */
export async function runSnippet(execution: Execution, frame: Frame, given: Snippet): Promise<SnippetResult> {
  const snippet = acceptRenamed(given, { mostOutput: 'maxOutput' }, 'Snippet');
  const { functions, maxOutput, ...rest } = snippet;
  const names = Object.keys(functions ?? {});
  // Keys in earlier logs use the old option name.
  const request = { ...rest, ...optional('mostOutput', maxOutput) };
  const key = frame.occurrence(contentKey('snippet', [request, names]));
  const { value, error } = await once(execution, frame, {
    key,
    request: null, // The key contains the whole request.
    mayWait: names.length > 0,
    started: (begun) => ({ event: { type: 'step.started', ...begun } }),
    effect: async () => {
      try {
        const { resources, openSnippets } = execution.kernel;
        const snippets = await resources.open('snippets', openSnippets);
        const result = await snippets.run(snippet, frame.signal);
        return { type: 'step.ended', key, value: execution.clean(result) };
      } catch (thrown) {
        return { type: 'step.ended', key, error: execution.cleanError(skillError(thrown)) };
      }
    },
  });
  if (error !== undefined) throw fromErrorData(error);
  return detach(value) as unknown as SnippetResult;
}
