import { hash } from 'node:crypto';
import type { Artifact } from '../core/artifact.ts';
import { optional } from '../core/optional.ts';
import { cleanText, mostText } from './clean.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { contentKey } from './identity.ts';

/** Keeps something with the run, once: a frame that runs again adds nothing twice. Throws `limit.too-large` for too much data. */
export function addArtifact(execution: Execution, frame: Frame, artifact: Artifact): void {
  if (!frame.isLive) return;
  const { redact } = execution.kernel;
  const text = redact(artifact.text);
  const made = {
    name: cleanText(artifact.name, redact),
    mediaType: cleanText(artifact.mediaType, redact),
    text: text.slice(0, mostText).toWellFormed(),
    digest: `sha256:${hash('sha256', text)}`,
    ...(text.length > mostText ? { cut: true as const } : {}),
    ...optional('data', artifact.data === undefined ? undefined : execution.clean(artifact.data)),
  };
  const key = frame.occurrence(contentKey('artifact', [made.name, made.digest, made.data ?? null]));
  if (execution.state.isNoted(frame.id, key)) return;
  void execution.journal.add(frame.id, { type: 'artifact.created', key, ...made });
}
