import type { Skill } from '../core/skill.ts';
import type { Frame, Loaded } from './frame.ts';

/** What a skill lets a conversation use. */
export interface ToolList {
  readonly skill: Pick<Skill, 'name' | 'file'>;
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
    .flatMap(({ skill, loaded }) => [
      ...(skill === undefined ? [] : [ownList(skill)]),
      ...[...loaded.values()].map((one) => loadedList(one, enforcesAll)),
    ])
    .filter(({ allowed, disallowed }) => (allowed ?? disallowed) !== undefined);
}

/** What a skill says of the tools of its own conversation. */
export function ownList(skill: Skill): ToolList {
  const { allowedTools, disallowedTools } = skill.card;
  return { skill, allowed: allowedTools, disallowed: disallowedTools };
}

function loadedList({ skill, tools }: Loaded, enforcesAll: boolean): ToolList {
  const isWhole = enforcesAll || tools.isWhole === true;
  return {
    skill,
    allowed: isWhole ? tools.allowed : undefined,
    disallowed: tools.disallowed,
  };
}
