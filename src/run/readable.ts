import type { Skill } from '../core/skill.ts';
import type { Frame } from './frame.ts';
import { placeOf } from './place-of.ts';

/**
 * The places of skills that a frame may have read: its own, those it loaded, those it was given and those it lists. A
 * skill of a server does not read what another server offers, although it lists that.
 */
export function readableIn(frame: Frame | undefined, listed: readonly Skill[]): readonly string[] {
  const own = frame?.skill === undefined ? [] : [frame.skill];
  const near = placesOf([...own, ...(frame?.active ?? [])]);
  return [...new Set([...near, ...(frame?.given ?? [])]), ...listedPlaces(listedFor(frame, listed))];
}

function listedFor(frame: Frame | undefined, listed: readonly Skill[]): readonly Skill[] {
  const server = frame?.skill?.server;
  if (server === undefined) return listed;
  return listed.filter((skill) => skill.server === undefined || skill.server === server);
}

const known = new WeakMap<readonly Skill[], readonly string[]>();

/** Found once for each list, which stays the same for long and may name thousands. */
function listedPlaces(listed: readonly Skill[]): readonly string[] {
  const places = known.get(listed) ?? placesOf(listed);
  known.set(listed, places);
  return places;
}

function placesOf(skills: readonly Skill[]): readonly string[] {
  return [...new Set(skills.map(placeOf))].filter((place) => place !== undefined);
}
