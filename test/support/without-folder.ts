import type { RunEvent } from '../../src/core/event.ts';

/**
 * Returns the log as if the folder were `/project`. Calls that mention the folder get placeholder ids,
 * because their ids depend on the path.
 */
export function withoutFolder(events: readonly RunEvent[], folder: string): readonly RunEvent[] {
  let text = JSON.stringify(events);
  for (const event of events) {
    if (event.type !== 'frame.started' || !JSON.stringify(event.input).includes(folder)) continue;
    for (const id of [event.frameId, event.key, event.request])
      text = text.replaceAll(JSON.stringify(id), JSON.stringify(`${event.skill}, wherever it lies`));
  }
  return JSON.parse(text.replaceAll(folder, '/project')) as readonly RunEvent[];
}
