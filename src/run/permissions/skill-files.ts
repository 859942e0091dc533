import { dirname, join, sep } from 'node:path';
import { pluginFiles } from '../../skills/digest/shared-modules.ts';
import { generationFolder, isFromServer, type Skill } from '../../core/index.ts';
import type { Frame } from '../calls/frame.ts';
import type { Kernel } from '../kernel.ts';

/**
 * Returns the paths of skills that a frame may read: its own skill, and skills that it loaded, lists or has
 * in its prompt. A skill from a server cannot read the skills of another server, even if it lists them.
 */
export function readableIn(frame: Frame | undefined, listed: readonly Skill[]): readonly string[] {
  const own = frame?.skill === undefined ? [] : [frame.skill];
  const used = [...own, ...(frame?.active ?? [])];
  const near = [...skillPaths(used), ...used.flatMap((skill) => pluginFiles(skill).map(({ path }) => path))];
  return [...new Set([...near, ...(frame?.given ?? [])]), ...listedPaths(listedFor(frame, listed))];
}

function listedFor(frame: Frame | undefined, listed: readonly Skill[]): readonly Skill[] {
  const server = frame?.skill?.server;
  if (server === undefined) return listed;
  return listed.filter((skill) => skill.server === undefined || skill.server === server);
}

const known = new WeakMap<readonly Skill[], readonly string[]>();

/**
 * Returns the paths of listed skills. The result is cached, because a list can be long and rarely changes.
 */
function listedPaths(listed: readonly Skill[]): readonly string[] {
  const paths = known.get(listed) ?? skillPaths(listed);
  known.set(listed, paths);
  return paths;
}

function skillPaths(skills: readonly Skill[]): readonly string[] {
  return [...new Set(skills.map(skillPath))].filter((path) => path !== undefined);
}

type TrustContext = Pick<Kernel, 'policy' | 'digestNow'>;

/**
 * Removes untrusted skills that come from servers, because a model that reads their text would treat it as
 * instructions.
 */
export function filterTrusted(context: TrustContext, skills: readonly Skill[]): readonly Skill[] {
  return skills.some(isDoubtful) ? skills.filter((skill) => isTextTrusted(context, skill)) : skills;
}

/** Whether a skill's text may be added to a prompt: it is not from a server, or its version is trusted. */
export function isTextTrusted(
  {
    policy,
    digestNow,
  }: { readonly policy: Pick<TrustContext['policy'], 'trusts'> } & Pick<TrustContext, 'digestNow'>,
  skill: Skill,
): boolean {
  const { source } = skill;
  return (
    !isDoubtful(skill) || policy.trusts?.({ source, dir: skill.dir, digest: () => digestNow(skill) }) === true
  );
}

function isDoubtful({ source, codeDefinition }: Skill): boolean {
  return isFromServer({ source, isDefinedInCode: codeDefinition !== undefined });
}

/**
 * Returns the path of a skill's folder, or of its file if other files share the folder. Returns undefined for
 * a skill that is defined in code.
 */
export function skillPath({
  dir,
  file,
  loose = false,
}: Skill & { readonly loose?: boolean }): string | undefined {
  const path = loose ? file : dir;
  return path === '' ? undefined : path;
}

/** Returns a skill's folder, or undefined if the skill is a single file in a shared folder. */
export function folderOf(skill: Skill & { readonly loose?: boolean }): string | undefined {
  return skill.loose === true ? undefined : skillPath(skill);
}

/**
 * Returns the paths of the skills in the workspace and of their generated code. The path of a skill is its
 * root folder, unless that folder extends beyond the workspace. In that case, the path is the skill's own
 * folder.
 */
export function workspaceSkillPaths(skills: readonly Skill[], workspace: string): readonly string[] {
  const isInside = (path: string): boolean => path.startsWith(`${workspace}${sep}`);
  return skills
    .flatMap(({ root, dir }) => [isInside(root) ? root : dir, join(dirname(dir), generationFolder)])
    .filter(isInside);
}
