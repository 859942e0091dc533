import type { Family } from '../core/family.ts';
import { optional } from '../core/collections.ts';
import type { Source } from '../core/skill.ts';
import type { Applicant } from './collisions.ts';
import type { Discovered } from './discover.ts';
import type { World } from './eligibility.ts';
import { loadSkillFrom } from './load-skill.ts';
import { buildRegistry, type Registry } from './registry.ts';
import { skillsRoot, type Root } from './root.ts';

/** What it takes to read folders. */
export interface Reading {
  readonly families: readonly Family[];
  readonly world: World;
  readonly scan: (roots: readonly Root[]) => { readonly discovered: readonly Discovered[] };
}

/** The skills in some folders and Markdown files alone, as a registry of their own; what cannot be read is not in it. */
export function skillsBelow(places: readonly string[], source: Source, reading: Reading): Registry {
  const { families, world, scan } = reading;
  const isFile = (place: string): boolean => /\.md$/i.test(place);
  const files = places.filter(isFile).flatMap((place) => loadedAt(place, families));
  const folders = places.filter((place) => !isFile(place));
  const { discovered } = scan(folders.map((path) => ({ path, source, kind: skillsRoot })));
  return buildRegistry([...files, ...discovered.map(applicantOn)], families, world, []);
}

/** The skill in a file, if there is one. */
function loadedAt(path: string, families: readonly Family[]): readonly Applicant[] {
  try {
    return [loadSkillFrom(path, {}, families).applicant];
  } catch {
    return []; // whoever looks for it says that it is not there
  }
}

/** A skill that was found on disk as an applicant for its name. */
export function applicantOn({ found, draft }: Discovered): Applicant {
  const { family, root, dir, file, stem, group, loose } = found;
  const from = { source: root.source, root: root.path, ...optional('server', root.server) };
  return { origin: { family, ...from, dir, file, stem, group, loose }, draft };
}
