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

/** A tool call in the form that hooks receive. */
export interface HookedCall {
  /** The tool's label, or its name if it has no label. */
  readonly tool: string;
  readonly input: Json;
}

/** Hooks that the caller of a loop adds to it. `key` is unique among the hook calls in the frame. */
export interface LoopHooks {
  /** The id of the shared hooks that these hooks include, so that loaded skills do not run them again. */
  readonly sharedId?: string;
  /** Runs before a call. If it returns text, the call is blocked and the model reads the text. */
  before?(call: HookedCall, key: string): Promise<string | undefined>;
  /** Runs after a call. If it returns text, the text is added to the call's result for the model. */
  after?(call: HookedCall, output: Output, key: string): Promise<string | undefined>;
  /** Runs when the loop is about to end. If it returns text, the model continues. */
  stop?(text: string, key: string): Promise<string | undefined>;
}

/** The hooks of the host and of loaded skills, called one after another. */
export interface Hooks extends Required<Omit<LoopHooks, 'sharedId'>> {
  /** Adds the hooks of a loaded skill. The hooks apply from the next event on. */
  listen(loaded: LoadedSkillText): void;
}

/**
 * Creates the hooks of a loop. If a hook fails before a call, the call is blocked. Any other failure of a
 * hook only adds a note.
 */
export function createHooks(scope: Scope, own: LoopHooks = {}): Hooks {
  const listening = new Map<string, LoadedSkillText>();

  const askLoaded = (moment: HookMoment, event: Record<string, Json>, key: string): readonly Ask[] => {
    const asked = new Set([own.sharedId]);
    return [...listening.values()].flatMap(({ name, hooks, sharedHooks }) => {
      const isShared = sharedHooks?.moments.includes(moment) === true && !asked.has(sharedHooks.id);
      if (!isShared && !hooks.includes(moment)) return [];
      if (isShared) asked.add(sharedHooks.id);
      const input = { moment, ...event, ...(isShared ? { shared: true } : {}) };
      return [() => askSkill(scope, name, input, `${key}.${moment}@${name}`)];
    });
  };

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
  const output = await scope.call(name, event, { mode: 'hook', asWritten: true, key });
  if (output.status === 'failed') {
    throw new AgentError(output.error.code, `A hook of "${name}" failed: ${output.error.message}`);
  }
  const objection = isJsonObject(output.value) ? output.value['objection'] : undefined;
  if (typeof objection !== 'string') return undefined;
  return objection.trim() === ''
    ? `A hook of "${name}" raised an objection without giving a reason.`
    : objection;
}
