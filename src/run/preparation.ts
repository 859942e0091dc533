/** What a skill is made ready by, once per version. */
export interface Preparation {
  readonly skill: string;
  /** The run that does it. */
  readonly runId: string;
  /** What its family made of the skill. */
  readonly ready: Promise<unknown>;
  /** The same once it is there. */
  made?: { readonly value: unknown };
}
