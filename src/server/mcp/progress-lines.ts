import type { RunEvent } from '../../core/event.ts';

/** Makes short lines for whoever waits of the events of a run: calls that begin and end, and what skills say. */
export function createProgressLines(): (event: RunEvent) => string | undefined {
  const skills = new Map<string, string>();
  return (event) => {
    if (event.type === 'note.added') return cut(event.message);
    if (event.type === 'frame.started') {
      skills.set(event.frameId, event.skill);
      return cut(`${event.skill} began`);
    }
    if (event.type !== 'frame.ended') return undefined;
    const skill = skills.get(event.frameId) ?? '';
    return cut(`${skill} ${event.output.status === 'done' ? 'is done' : 'failed'}`);
  };
}

const mostLetters = 200;

function cut(line: string): string {
  const plain = line.replace(/\s+/g, ' ').trim();
  return plain.length <= mostLetters ? plain : `${plain.slice(0, mostLetters).toWellFormed()}…`;
}
