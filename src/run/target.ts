import type { Family } from '../core/family.ts';
import type { Skill } from '../core/skill.ts';

/** A skill that can be called, with what its family made of it. */
export interface Target {
  readonly skill: Skill;
  readonly family: Family;
  readonly definition: unknown;
  /** Of the whole bundle; undefined for a skill made in code. */
  readonly digest: string | undefined;
  /** It may call no other skill. */
  readonly isLeaf: boolean;
  /** Its caller provided it: it is in no registry, and its name is whatever somebody elsewhere chose. */
  readonly isProvided?: true;
}
