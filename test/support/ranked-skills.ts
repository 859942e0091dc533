import { readFileSync } from 'node:fs';
import type { Searchable } from '../../src/skills/rank/fields.ts';

/** A skill with a prompt that it is right for, in words that are not those of its description. */
export interface Probed extends Searchable {
  readonly probe: string;
}

const file = new URL('ranked-skills.json', import.meta.url);

/** About sixty skills of many domains. */
export const probedSkills = JSON.parse(readFileSync(file, 'utf8')) as readonly Probed[];
