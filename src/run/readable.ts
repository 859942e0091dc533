import type { Skill } from '../core/skill.ts';
import type { Frame } from './frame.ts';
import { placeOf } from './place-of.ts';

/** The places of skills that a frame may have read: its own, those it lists, those it loaded and those it was given. */
export function readableIn(frame: Frame | undefined, listed: readonly Skill[]): readonly string[] {
  const own = frame?.skill === undefined ? [] : [frame.skill];
  const places = [...own, ...(frame?.active ?? []), ...listed].map(placeOf);
  return [...new Set([...places.filter((place) => place !== undefined), ...(frame?.given ?? [])])];
}
