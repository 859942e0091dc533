import type { RunEvent } from '../../src/core/event.ts';

/** A log as if its files lay in `/project`, wherever they do: calls that name the folder lose what identifies them. */
export function withoutFolder(events: readonly RunEvent[], folder: string): readonly RunEvent[] {
  let text = JSON.stringify(events);
  for (const event of events) {
    if (event.type !== 'frame.started' || !JSON.stringify(event.input).includes(folder)) continue;
    for (const id of [event.frameId, event.key, event.request])
      text = text.replaceAll(JSON.stringify(id), JSON.stringify(`${event.skill}, wherever it lies`));
  }
  return JSON.parse(text.replaceAll(folder, '/project')) as readonly RunEvent[];
}
