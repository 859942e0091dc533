import type { LineContent, LineOptions } from './line-content.ts';
import { preparationLine } from './preparation-line.ts';
import type { Activity, FrameNode, KeptArtifact } from './run-node.ts';
import { shortText } from './short-text.ts';

/** A line below a call that is no call, and when it belongs there. */
export interface SideLine {
  readonly at: number;
  readonly content: LineContent;
}

/** What a call said and made, which of its steps failed, which are under way, and what it waited for; in no order. Pure. */
export function sideLines(
  { notes, artifacts, activities }: FrameNode,
  options: LineOptions,
): readonly SideLine[] {
  const steps = activities.filter(({ kind, error, endedAt }) => {
    return kind === 'step' && (error !== undefined || endedAt === undefined);
  });
  return [
    ...notes.map(
      ({ at, message }) => ({ at, content: { ...plain, status: 'note', name: short(message) } }) as const,
    ),
    ...artifacts.map((artifact) => ({ at: artifact.at, content: artifactContent(artifact) })),
    ...steps.map((step) => ({ at: step.startedAt, content: stepContent(step, options) })),
    ...activities.flatMap((activity) => {
      const content = preparationLine(activity, options);
      return content === undefined ? [] : [{ at: activity.startedAt, content }];
    }),
  ];
}

const plain = { busy: false, detail: '', facts: [] } as const;

function artifactContent({ name, characters }: KeptArtifact): LineContent {
  const size = `${characters.toLocaleString('en-US')} ${characters === 1 ? 'character' : 'characters'}`;
  return { ...plain, status: 'artifact', name: short(name), facts: [size] };
}

function stepContent({ key, error }: Activity, { isInterrupted }: LineOptions): LineContent {
  const name = `step ${short(
    key
      .replace(/^step:/, '')
      .replace(/^snippet:.*/s, 'snippet')
      .replace(/:[0-9a-f]{16}$/, ''),
  )}`;
  if (error !== undefined)
    return { ...plain, status: 'failed', name: `${name}:`, detail: short(error.message) };
  return { ...plain, status: isInterrupted === true ? 'interrupted' : 'running', name };
}

function short(text: string): string {
  return shortText(text, 200);
}
