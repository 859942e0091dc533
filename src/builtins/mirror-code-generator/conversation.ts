import { optional } from '../../core/collections.ts';
import type { Json } from '../../core/json.ts';
import { hashOf } from '../../core/json/normalize.ts';
import { collect, mustAnswer, type Message, type Model } from '../../core/model.ts';
import type { Fault } from './fault.ts';
import { readAnswer, type Answer } from './read-answer.ts';
import { buildRepairText } from './repair-text.ts';
import { systemText } from './system-text.ts';

type Read = (target: string) => string | undefined;

/** Asks one model for the same files until they can be used. */
export class Conversation {
  readonly targets: readonly string[];
  readonly #messages: Message[];
  /** The files as the model knows them. */
  readonly #known = new Map<string, string>();

  /** `read` gives the text of a file as the task shows it. */
  constructor(targets: readonly string[], task: string, read: Read) {
    this.targets = targets;
    this.#messages = [{ role: 'user', text: task }];
    for (const target of targets) this.#known.set(target, read(target) ?? '');
  }

  /** Throws the failure of the model; a request that was made before, in a run that is taken up again, is answered from its log. */
  async ask(model: Model, signal: AbortSignal): Promise<Answer> {
    const messages = [...this.#messages];
    const key = `files:${this.targets[0] ?? ''}:${hashOf([systemText, messages as unknown as Json])}`;
    const reply = await collect(model.stream({ system: systemText, messages, key }, signal));
    mustAnswer(model, reply);
    const { text, native } = reply;
    const said: Message = { role: 'assistant', text, ...optional('native', native) };
    if (text.trim() !== '') this.#messages.push(said);
    const answer = readAnswer(text, this.targets);
    for (const [target, content] of answer.files) this.#known.set(target, content);
    return answer;
  }

  /** Says what is wrong before the next question; `read` gives the files as they are now. */
  tell(faults: readonly Fault[], read: Read): void {
    const now = new Map<string, string>();
    for (const target of this.targets) {
      const text = read(target);
      if (text === undefined || text === this.#known.get(target)) continue;
      now.set(target, text);
      this.#known.set(target, text);
    }
    const text = buildRepairText(faults, now);
    const last = this.#messages.at(-1);
    if (last?.role !== 'user') this.#messages.push({ role: 'user', text });
    else this.#messages.splice(-1, 1, { role: 'user', text: `${last.text}\n\n${text}` });
  }
}
