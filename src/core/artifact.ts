import type { Json } from './json.ts';

/** A skill created an artifact, which is stored with the run. */
export interface ArtifactCreated {
  readonly type: 'artifact.created';
  /** A key that stays the same if the frame runs again, so that the artifact is not added twice. */
  readonly key: string;
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
  /** The digest of the full text: `sha256:` followed by 64 hexadecimal digits. */
  readonly digest: string;
  /** Set if the text is truncated. */
  readonly cut?: true;
  readonly data?: Json;
}

/** An output that a skill stores with its run, so that users can view and reuse it. */
export interface Artifact {
  /** The name that identifies the artifact within its run, like a path. */
  readonly name: string;
  readonly mediaType: string;
  /** The text, truncated after a million characters. */
  readonly text: string;
  /** The data needed to reuse the artifact, such as the input of a snippet. */
  readonly data?: Json;
}
