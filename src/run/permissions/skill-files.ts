import { dirname, join, sep } from 'node:path';
import { generationFolder, isFromServer, type Skill } from '../../core/index.ts';
import type { Frame } from '../calls/frame.ts';
import type { Kernel } from '../kernel.ts';

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

type Ground = Pick<Kernel, 'policy' | 'digestNow'>;

/** Skills without those of servers that nobody trusts: a model that reads such a text would take it for instructions. */
export function believed(ground: Ground, skills: readonly Skill[]): readonly Skill[] {
  return skills.some(isDoubtful) ? skills.filter((skill) => isBelieved(ground, skill)) : skills;
}

/** Whether the text of a skill may go into a prompt: it comes from no server, or somebody trusts it as it is now. */
export function isBelieved(
  { policy, digestNow }: { readonly policy: Pick<Ground['policy'], 'trusts'> } & Pick<Ground, 'digestNow'>,
  skill: Skill,
): boolean {
  const { source } = skill;
  return !isDoubtful(skill) || policy.trusts?.({ source, digest: () => digestNow(skill) }) === true;
}

function isDoubtful({ source, made }: Skill): boolean {
  return isFromServer({ source, made: made !== undefined });
}

/** All that belongs to a skill: its folder, or its file where that is a single one among others; undefined for one made in code. */
export function placeOf({
  dir,
  file,
  loose = false,
}: Skill & { readonly loose?: boolean }): string | undefined {
  const place = loose ? file : dir;
  return place === '' ? undefined : place;
}

/** The folder of a skill; the one around a single file is not its own. */
export function folderOf(skill: Skill & { readonly loose?: boolean }): string | undefined {
  return skill.loose === true ? undefined : placeOf(skill);
}

/** Where skills lie in the workspace: their roots, or they themselves where the root is more than that; and where their code is made. */
export function placesOfSkills(skills: readonly Skill[], workspace: string): readonly string[] {
  const isInside = (path: string): boolean => path.startsWith(`${workspace}${sep}`);
  return skills
    .flatMap(({ root, dir }) => [isInside(root) ? root : dir, join(dirname(dir), generationFolder)])
    .filter(isInside);
}
