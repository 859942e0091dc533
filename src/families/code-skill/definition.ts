/** What a cskill.md says beyond its card, as prose; the code lies beside it in the bundle. */
export interface CodeSkillDefinition {
  readonly inputFormat?: string;
  readonly outputFormat?: string;
  readonly constraints?: string;
  readonly examples?: string;
  readonly help?: string;
}
