import type { SopEvent } from '../../src/engines/sop/plan-run.ts';

/** A recorder of a plan's events. */
export interface Watch {
  readonly events: readonly SopEvent[];
  onEvent(event: SopEvent): void;
  /** Resolves as soon as an event with this text has happened. The texts are those in `texts`. */
  until(text: string): Promise<void>;
  /** All events as short texts: `a started`, `a[1] ended success`, `a kept success`, `plan ended done`. */
  readonly texts: readonly string[];
}

/** Creates a recorder without events. */
export function watchEvents(): Watch {
  const events: SopEvent[] = [];
  const texts: string[] = [];
  const waiting = new Map<string, () => void>();
  return {
    events,
    texts,
    onEvent(event) {
      events.push(event);
      const text = textOf(event);
      texts.push(text);
      waiting.get(text)?.();
    },
    until: (text) =>
      new Promise((resolve) => {
        if (texts.includes(text)) resolve();
        else waiting.set(text, resolve);
      }),
  };
}

function textOf(event: SopEvent): string {
  switch (event.type) {
    case 'plan.started':
      return 'plan started';
    case 'plan.ended':
      return `plan ended ${event.status}`;
    case 'step.started':
      return `${nameOf(event)} started`;
    case 'step.ended':
      return `${nameOf(event)} ${event.isReused === true ? 'kept' : 'ended'} ${event.value.status}`;
  }
}

function nameOf({ variable, index }: { readonly variable: string; readonly index?: number }): string {
  return index === undefined ? variable : `${variable}[${index}]`;
}
