import type { Artifact } from '../core/scope.ts';
import type { RunEvent } from '../core/event.ts';
import { optional } from '../core/collections.ts';

/** Something that a call made, as its run kept it. */
export interface RunArtifact extends Artifact {
  /** Counted from 1 in its run. */
  readonly number: number;
  /** The skill that made it. */
  readonly skill: string;
  readonly frameId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the whole text: `sha256:` and 64 digits. */
  readonly digest: string;
  /** Set when the end of the text is missing. */
  readonly cut?: true;
}

/** What a run made and kept, oldest first; pure. */
export function artifactsOf(events: Iterable<RunEvent>): readonly RunArtifact[] {
  const skills = new Map<string, string>();
  const found: RunArtifact[] = [];
  for (const event of events) {
    if (event.type === 'frame.started') skills.set(event.frameId, event.skill);
    if (event.type !== 'artifact.created') continue;
    const { frameId, at, name, mediaType, text, digest, cut, data } = event;
    found.push({
      ...{ number: found.length + 1, name, mediaType, skill: skills.get(frameId) ?? '', frameId, at, digest },
      ...optional('cut', cut),
      text,
      ...optional('data', data),
    });
  }
  return found;
}
