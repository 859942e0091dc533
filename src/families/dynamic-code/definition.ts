/** What a dcgskill.md says beyond its card. */
export interface DynamicCodeDefinition {
  /** Guidance for the model; absent when the description has to do. */
  readonly prompt?: string;
  /** What the input means, as prose. */
  readonly argument?: string;
  /** A model by name; it goes before the tier. */
  readonly model?: string;
  readonly tier?: 'code' | 'fast';
  /** Seconds that a snippet may take. */
  readonly timeout?: number;
  /** MiB of memory that a snippet may use. */
  readonly memory?: number;
  readonly help?: string;
}
