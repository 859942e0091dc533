import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A skill of a collection, in its original form. */
export interface CollectedSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/**
 * A prompt and the skills that the authors of the collection consider relevant. The list is empty if no skill
 * applies.
 */
export interface Query {
  readonly query: string;
  readonly relevant: readonly string[];
  readonly source: string;
}

/** A set of skills, and the prompts for which the skills are ranked. */
export interface Collection {
  readonly skills: readonly CollectedSkill[];
  readonly queries: readonly Query[];
  /** Prompts that need no skill. Empty if the folder has none. */
  readonly abstain: readonly Query[];
}

/** Reads `skills.jsonl`, `queries.jsonl` and, if it exists, `abstain.jsonl`. */
export function readCollection(folder: string): Collection {
  return {
    skills: rows(join(folder, 'skills.jsonl')) as CollectedSkill[],
    queries: rows(join(folder, 'queries.jsonl')) as Query[],
    abstain: existsSync(join(folder, 'abstain.jsonl'))
      ? (rows(join(folder, 'abstain.jsonl')) as Query[])
      : [],
  };
}

function rows(file: string): readonly unknown[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown);
}
