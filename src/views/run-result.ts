import {
  isJsonObject,
  optional,
  shownSkillName,
  type Artifact,
  type RunEvent,
  type RunResult,
} from '../core/index.ts';
import type { Branch, RunTree } from './run-node.ts';

/** Returns the result of a run so far. `ok` is true only if the run is done. */
export function resultOf(tree: RunTree): RunResult {
  const { runId, status, skill, output, totalUsage } = tree;
  const question = status === 'waiting' ? tree.questions[0] : undefined;
  const changed = [...new Set(changedIn(tree))].sort();
  return {
    ok: status === 'done',
    runId,
    status,
    skill,
    text: output?.text ?? question?.text ?? '',
    ...optional('value', output?.status === 'done' ? output.value : undefined),
    ...optional('variables', output?.status === 'done' ? output.variables : undefined),
    ...optional('question', question),
    ...optional('changedPrograms', changed.length === 0 ? undefined : changed),
    usage: totalUsage,
    ...optional('error', output?.status === 'failed' ? output.error : undefined),
  };
}

/** Returns the files that a run changed and that users may run later. Calls record these files in notes. */
function changedIn({ notes, children }: Pick<Branch, 'notes' | 'children'>): readonly string[] {
  const own = notes.flatMap(({ data }) => {
    const files = isJsonObject(data) ? data['changedPrograms'] : undefined;
    return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
  });
  return [...own, ...children.flatMap((child) => ('notes' in child ? changedIn(child) : []))];
}

/** An artifact that a call created, as stored with its run. */
export interface RunArtifact extends Artifact {
  /** The number of the artifact in its run, starting at 1. */
  readonly number: number;
  /** The skill that created the artifact. */
  readonly skill: string;
  readonly frameId: string;
  /** The time of creation in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The digest of the complete text: `sha256:` followed by 64 hex digits. */
  readonly digest: string;
  /** Set if the text is truncated. */
  readonly cut?: true;
}

/** Returns a run's artifacts, oldest first. Pure. */
export function artifactsOf(events: Iterable<RunEvent>): readonly RunArtifact[] {
  const skills = new Map<string, string>();
  const found: RunArtifact[] = [];
  for (const event of events) {
    if (event.type === 'frame.started') skills.set(event.frameId, shownSkillName(event.skill));
    if (event.type !== 'artifact.created') continue;
    const { frameId, at, name, mediaType, text, digest, cut, data } = event;
    found.push({
      number: found.length + 1,
      name,
      mediaType,
      skill: skills.get(frameId) ?? '',
      frameId,
      at,
      digest,
      ...optional('cut', cut),
      text,
      ...optional('data', data),
    });
  }
  return found;
}
