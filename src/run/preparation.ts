/** What a skill is made ready by, once per version. */
export interface Preparation {
  /** The run that does it. */
  readonly runId: string;
  /** What its family made of the skill. */
  readonly ready: Promise<unknown>;
}
