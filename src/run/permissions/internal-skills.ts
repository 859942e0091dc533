import { familyOf, type BuiltinSkill, type Skill } from '../../core/index.ts';
import { isInternal } from '../../skills/catalog/entries.ts';
import type { Registry } from '../../skills/registry/registry.ts';
import type { Frame } from '../calls/frame.ts';
import { letsUse, ownList, type ToolList } from './tool-lists.ts';

/**
 * Returns a function that decides which skills a frame's model is offered if the host does not expose the
 * package's own skills. A skill without a list of allowed skills is still offered the package's skills that
 * only read. The package's other skills are offered only if a list names them: the caller's own list, or the
 * list of a skill that the conversation has loaded.
 */
export function offeredInternals(registry: Registry, frame: Frame): (skill: Skill) => boolean {
  const { skill: caller } = frame;
  const isAssistant = caller !== undefined && isInternal(caller);
  if (caller === undefined || (caller.card.allowedSkills !== undefined && !isAssistant)) return () => true;
  const lists = namedBy(frame);
  const isNamed = (skill: Skill): boolean => lists.some((list) => letsUse(registry, list, skill));
  // The assistant reads files only for the skills whose text it can load.
  const mayRead = !isAssistant || registry.skills.some((skill) => isLoadableSkill(registry, skill));
  return (skill) => !isInternal(skill) || (mayRead && staysOffered(skill) === 'always') || isNamed(skill);
}

/** Returns the tool lists of a frame's skill and of the skills that its conversation has loaded. */
function namedBy({ skill, loaded }: Frame): readonly ToolList[] {
  const own = skill === undefined ? [] : [ownList(skill)];
  const ofLoaded = [...loaded.values()].map((one): ToolList => ({
    skill: one.skill,
    allowed: one.tools.allowed,
  }));
  return [...own, ...ofLoaded].flatMap(({ skill: by, allowed, bound }) => [
    ...(allowed === undefined ? [] : [{ skill: by, allowed }]),
    ...(bound === undefined ? [] : [{ skill: by, bound }]),
  ]);
}

/**
 * Returns the skill that searches for the skills that a catalog omits, if a frame may call it although it is
 * not offered. Returns undefined if that skill is offered anyway.
 */
export function searchSkill(
  registry: Registry,
  lists: readonly ToolList[],
  callable: readonly Skill[],
): Skill | undefined {
  const found = registry.skills.find((skill) => staysOffered(skill) === 'search');
  if (found === undefined || callable.includes(found)) return undefined;
  return lists.every((list) => letsUse(registry, list, found)) ? found : undefined;
}

function staysOffered(skill: Skill): BuiltinSkill['staysOffered'] {
  return isInternal(skill) ? (skill.codeDefinition as BuiltinSkill).staysOffered : undefined;
}

/** Whether a user's skill has a text that a conversation can load. */
function isLoadableSkill({ families }: Registry, skill: Skill): boolean {
  const isOwn = skill.status === 'ready' && skill.source !== 'bundled';
  return isOwn && familyOf(families, skill)?.text?.load !== undefined;
}
