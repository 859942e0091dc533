import type { Skill } from '../core/skill.ts';
import type { Frame } from './frame.ts';

/** What a skill lets a conversation use. */
export interface ToolList {
  readonly skill: Skill;
  /** All that may be used; absent when it says nothing. */
  readonly allowed?: readonly string[] | undefined;
  readonly disallowed?: readonly string[] | undefined;
}

/**
 * The lists that bind a frame: those of its own skill and of every skill on the way down, and of the skills that their
 * conversations loaded. What is loaded only takes away, unless it says that its list is the whole list. With
 * `asWritten` those of the frame itself are left out.
 */
export function toolLists(
  frame: Frame | undefined,
  enforcesAll: boolean,
  asWritten = false,
): readonly ToolList[] {
  const path = frame?.path ?? [];
  return path
    .slice(0, asWritten ? -1 : undefined)
    .flatMap(({ skill, active }) => [
      ...(skill === undefined ? [] : [listOf(skill, true)]),
      ...[...active].map((loaded) => listOf(loaded, enforcesAll || loaded.card.enforceTools === true)),
    ]);
}

function listOf(skill: Skill, isWhole: boolean): ToolList {
  const { allowedTools, disallowedTools } = skill.card;
  return { skill, allowed: isWhole ? allowedTools : undefined, disallowed: disallowedTools };
}
