import type { Skill } from '../core/skill.ts';
import { appliesTo } from '../skills/applies-to.ts';
import { cardOf } from '../skills/catalog/offered.ts';
import type { Registry } from '../skills/registry.ts';
import type { Frame } from './frame.ts';

/** The skills for certain files, and those of them for which such a file was touched on the way down to a frame. */
export interface ForFiles {
  readonly all: ReadonlySet<Skill>;
  readonly broughtUp: ReadonlySet<Skill>;
}

/** Which skills for certain files a frame may see. */
export function skillsForFilesIn(registry: Registry, frame: Frame, workspace: string): ForFiles {
  const all = skillsForFiles(registry);
  if (all.size === 0) return { all, broughtUp: all };
  return { all, broughtUp: new Set(frame.path.flatMap((one) => [...broughtUpIn(one, all, workspace)])) };
}

const known = new WeakMap<Registry, ReadonlySet<Skill>>();

function skillsForFiles(registry: Registry): ReadonlySet<Skill> {
  const skills =
    known.get(registry) ??
    new Set<Skill>(registry.skills.filter((skill) => cardOf(skill).paths !== undefined));
  known.set(registry, skills);
  return skills;
}

interface Seen {
  /** How many of the files were looked at. */
  files: number;
  readonly skills: Set<Skill>;
}

const seen = new WeakMap<Frame, Seen>();

/** The skills for the files that a frame touched; each file is held against them once. */
function broughtUpIn(frame: Frame, forFiles: ReadonlySet<Skill>, workspace: string): ReadonlySet<Skill> {
  const before = seen.get(frame) ?? { files: 0, skills: new Set<Skill>() };
  seen.set(frame, before);
  if (before.files === frame.touched.size) return before.skills;
  const files = [...frame.touched].slice(before.files);
  for (const skill of forFiles) {
    if (before.skills.has(skill)) continue;
    if (appliesTo(cardOf(skill).paths ?? [], files, workspace)) before.skills.add(skill);
  }
  before.files = frame.touched.size;
  return before.skills;
}
