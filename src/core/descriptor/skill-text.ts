/** Where a text is rendered: what its variables stand for. */
export interface RenderPlace {
  readonly session: string;
  /** The folder of the skill; undefined for one without files of its own. */
  readonly skillDir: string | undefined;
  readonly projectDir: string | undefined;
}

/** A placeholder that got a value. */
export interface Replacement {
  readonly placeholder: string;
  readonly value: string;
  /** Where it stood in the body, in UTF-16 units. */
  readonly at: number;
}

/** A command in the text of a skill. */
export interface RenderedCommand {
  /** As the shell gets it. */
  readonly command: string;
  readonly ran: boolean;
  readonly exitCode?: number;
  readonly output?: string;
}

/** The text of a skill with everything put in; commands that did not run stand in it as `[not run: …]`. */
export interface Rendering {
  readonly text: string;
  readonly commands: readonly RenderedCommand[];
  readonly replacements: readonly Replacement[];
}

/** The value of a skill that was loaded into a conversation. */
export interface LoadedText extends Rendering {
  /** The moments of the conversation that the skill wants to hear of. */
  readonly hooks?: readonly HookMoment[];
}

/** Moments of a conversation: before a call, after it, and when the model would end. */
export type HookMoment = 'before' | 'after' | 'stop';

/** A moment of a conversation as a hook hears of it. */
export interface HookEvent {
  readonly moment: HookMoment;
  /** The tool by the word that permission rules use, else its name. */
  readonly tool?: string;
  readonly input?: unknown;
  /** What the call came to, or what the model said last. */
  readonly text?: string;
}

/** What a hook says: a text keeps a call from happening, is added to its result, or makes the model go on. */
export interface HookVerdict {
  readonly objection?: string;
}
