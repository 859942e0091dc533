import type { Skills } from '../skills/skills.ts';
import type { AgentOptions, Ports } from './options.ts';
import type { SetUp } from './set-up.ts';

/** What an agent lends to its runs. */
export interface Lender {
  readonly options: AgentOptions;
  readonly ports: Ports;
  /** What counts at the moment; a reload changes it. */
  readonly setUp: SetUp;
  readonly skills: Skills;
}
