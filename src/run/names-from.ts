import type { Skill } from '../core/skill.ts';

/** A skill under one of its names, in lower case. */
interface Entry {
  readonly name: string;
  readonly skill: Skill;
}

/** Finds the skills one of whose names starts with some letters, without regard to case; sorted once, when first asked. */
export function namesFrom(
  skills: ReadonlySet<Skill>,
  namesOf: (skill: Skill) => readonly string[],
): (start: string) => readonly Skill[] {
  let sorted: readonly Entry[] | undefined;
  return (start) => {
    if (start === '') return [...skills];
    sorted ??= entriesOf(skills, namesOf);
    const wanted = start.toLowerCase();
    const found = new Set<Skill>();
    for (let at = firstFrom(sorted, wanted); sorted[at]?.name.startsWith(wanted) === true; at++) {
      const entry = sorted[at];
      if (entry !== undefined) found.add(entry.skill);
    }
    return [...found];
  };
}

function entriesOf(
  skills: ReadonlySet<Skill>,
  namesOf: (skill: Skill) => readonly string[],
): readonly Entry[] {
  const entries = [...skills].flatMap((skill) =>
    namesOf(skill).map((name) => ({ name: name.toLowerCase(), skill })),
  );
  return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The place of the first entry that does not stand before a name. */
function firstFrom(entries: readonly Entry[], name: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
