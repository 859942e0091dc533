import {
  AgentError,
  isJsonObject,
  reasonOf,
  type HookMoment,
  type Json,
  type Output,
  type Scope,
} from '../../core/index.ts';
import { shownResult } from './conversation.ts';
import type { LoadedSkillText } from './tools.ts';

/** A call as hooks hear of it. */
export interface HookedCall {
  /** By its label where it has one, else by its name. */
  readonly tool: string;
  readonly input: Json;
}

/** What a host wants to say to a loop at its moments; the key tells the moment from all others of the frame. */
export interface LoopHooks {
  /** A text keeps the call from happening; the model reads it. */
  before?(call: HookedCall, key: string): Promise<string | undefined>;
  /** A text is added to what the model reads of the call. */
  after?(call: HookedCall, output: Output, key: string): Promise<string | undefined>;
  /** A text makes the model go on. */
  stop?(text: string, key: string): Promise<string | undefined>;
}

/** The hooks of a host and of the skills that were loaded, asked one after another. */
export interface Hooks extends Required<LoopHooks> {
  /** A skill that was loaded is asked from now on. */
  listen(loaded: LoadedSkillText): void;
}

/** A hook that cannot be asked keeps a call from happening; afterwards it is only noted. */
export function createHooks(scope: Scope, own: LoopHooks = {}): Hooks {
  const listening = new Map<string, LoadedSkillText>();

  const askLoaded = (moment: HookMoment, event: Record<string, Json>, key: string): readonly Ask[] =>
    [...listening.values()]
      .filter(({ hooks }) => hooks.includes(moment))
      .map(
        ({ name }) =>
          () =>
            askSkill(scope, name, { moment, ...event }, `${key}.${moment}@${name}`),
      );

  const gather = async (asks: readonly Ask[]): Promise<string | undefined> => {
    const texts: string[] = [];
    for (const ask of asks) {
      try {
        const text = await ask();
        if (text !== undefined) texts.push(text);
      } catch (thrown) {
        scope.note(reasonOf(thrown));
      }
    }
    return texts.length === 0 ? undefined : texts.join('\n\n');
  };

  return {
    listen: (loaded) => {
      listening.set(loaded.name, loaded);
    },
    async before(call, key) {
      for (const ask of [async () => own.before?.(call, key), ...askLoaded('before', { ...call }, key)]) {
        try {
          const objection = await ask();
          if (objection !== undefined) return objection;
        } catch (thrown) {
          return reasonOf(thrown);
        }
      }
      return undefined;
    },
    after: (call, output, key) =>
      gather([
        async () => own.after?.(call, output, key),
        ...askLoaded('after', { ...call, text: shownResult(output, undefined) }, key),
      ]),
    stop: (text, key) => gather([async () => own.stop?.(text, key), ...askLoaded('stop', { text }, key)]),
  };
}

type Ask = () => Promise<string | undefined>;

async function askSkill(scope: Scope, name: string, event: Json, key: string): Promise<string | undefined> {
  const output = await scope.call(name, event, { through: 'hook', asWritten: true, key });
  if (output.status === 'failed') {
    throw new AgentError(output.error.code, `A hook of "${name}" failed: ${output.error.message}`);
  }
  const objection = isJsonObject(output.value) ? output.value['objection'] : undefined;
  if (typeof objection !== 'string') return undefined;
  return objection.trim() === '' ? `A hook of "${name}" objects, and does not say why.` : objection;
}
