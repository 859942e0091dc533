import { isJsonObject, optional, type Artifact, type RunEvent, type RunResult } from '../core/index.ts';
import type { Branch, RunTree } from './run-node.ts';

/** What a run came to so far; `ok` only when it is done. */
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

/** Files that people run later, as the notes of all calls name them. */
function changedIn({ notes, children }: Pick<Branch, 'notes' | 'children'>): readonly string[] {
  const own = notes.flatMap(({ data }) => {
    const files = isJsonObject(data) ? data['changedPrograms'] : undefined;
    return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
  });
  return [...own, ...children.flatMap((child) => ('notes' in child ? changedIn(child) : []))];
}

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
