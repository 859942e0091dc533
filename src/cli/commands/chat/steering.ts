import { reasonOf, type RunEvent, type RunHandle } from '../../../core/index.ts';
import { dim, oneLine, wrapWords } from '../../command-kit.ts';
import type { Interrupt } from '../../runs/interrupt.ts';
import type { Chat } from './context.ts';

/** Sends what the user types during a run to that run. */
export interface Steering extends Disposable {
  /** The run that receives the lines. */
  run?: RunHandle;
  /** Handles a new event, which can show that the run took a line. */
  readonly hear: (event: RunEvent) => void;
}

/**
 * Lets the user type while a run works: Enter sends the line to the run, and Esc stops the run. Commands, and
 * lines that the run did not take before it ended, are handled after the run.
 */
export function steerWithLines(chat: Chat, interrupt: Interrupt): Steering {
  const { terminal } = chat.invocation;
  const sent: string[] = [];
  const note = (text: string): void => {
    const lines = wrapWords(text, (terminal.live?.screen().columns ?? Infinity) - 1, '    ');
    terminal.err(lines.map((line) => `${dim(line, terminal)}\n`).join(''));
  };
  const queueForLater = (text: string): void => {
    sent.splice(sent.indexOf(text), 1);
    chat.queued.push(text);
  };
  const typing = chat.lines?.during?.({
    hint: dim('  Enter sends · Esc stops', terminal),
    onStop: interrupt.stop,
    onLine(line) {
      const text = line.trim();
      if (steering.run === undefined || /^[/!@]/.test(text)) {
        note(`  After this run: ${oneLine(text)}`);
        return false;
      }
      note(`  Sent to the run: ${oneLine(text)}`);
      sent.push(text);
      steering.run.steer(text).catch((thrown: unknown) => {
        // The run ended a moment ago, so the text is the next prompt instead.
        note(`  After this run: ${oneLine(text)} (${oneLine(reasonOf(thrown))})`);
        queueForLater(text);
      });
      return true;
    },
  });
  const steering: Steering = {
    hear(event) {
      const joined =
        event.type === 'model.started'
          ? event.joined
          : event.type === 'model.ended'
            ? event.reply.joined
            : [];
      sent.splice(0, joined?.length ?? 0);
    },
    [Symbol.dispose]() {
      typing?.[Symbol.dispose]();
      chat.queued.push(...sent);
    },
  };
  return steering;
}
