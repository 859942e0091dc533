import type { SandboxProvider } from '../core/sandbox.ts';
import type { Skill } from '../core/skill.ts';
import type { SkillEntry } from '../skills/skill-settings.ts';
import type { Lender } from './lender.ts';

/** What servers are opened on. */
export interface ServerGround {
  readonly lender: Pick<Lender, 'options' | 'ports' | 'skills'>;
  readonly sandboxes: SandboxProvider;
}

/** The skill that describes a server, and thereby lends it what it was granted itself. */
export interface Describer {
  readonly skill: Skill;
  /** What settings say about it. */
  readonly entry: SkillEntry | undefined;
  /** The checked copy of its files, where there is one. */
  readonly copy?: string;
}
