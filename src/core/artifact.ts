import type { Json } from './json.ts';

/** Something that a skill made, kept with its run so that people can look at it and use it again. */
export interface Artifact {
  /** What tells it from the others of its run, as a path does. */
  readonly name: string;
  readonly mediaType: string;
  /** Cut after a million characters. */
  readonly text: string;
  /** What is needed to use it again, such as the input of a snippet. */
  readonly data?: Json;
}
