/** The values of the variables that a skill's text can contain. */
export interface RenderContext {
  readonly session: string;
  /** The skill's folder, or undefined if the skill has no files. */
  readonly skillDir: string | undefined;
  readonly projectDir: string | undefined;
  /** The folder of the plugin that the skill belongs to. */
  readonly pluginDir?: string;
  /** Set if the input is a prompt for which the skill was selected. Its words are then not arguments. */
  readonly isPrompt?: true;
}

/** A placeholder in a skill's text and the value that replaced it. */
export interface Replacement {
  readonly placeholder: string;
  readonly value: string;
  /** The placeholder's offset in the body, in UTF-16 units. */
  readonly at: number;
}

/** A command in a skill's text. */
export interface RenderedCommand {
  /** The command as passed to the shell. */
  readonly command: string;
  readonly ran: boolean;
  readonly exitCode?: number;
  readonly output?: string;
}

/** A skill's text with all placeholders filled in. Commands that did not run appear as `[not run: …]`. */
export interface Rendering {
  readonly text: string;
  readonly commands: readonly RenderedCommand[];
  readonly replacements: readonly Replacement[];
}

/** The result of loading a skill's text into a conversation. */
export interface LoadedText extends Rendering {
  /** The moments in a conversation at which hooks of the skill run. */
  readonly hooks?: readonly HookMoment[];
  readonly sharedHooks?: SharedHooks;
}

/** Hooks that several skills have in common, such as those of a plugin. They run once for all these skills. */
export interface SharedHooks {
  /** Identifies the hooks. Equal for all skills that share them. */
  readonly id: string;
  readonly moments: readonly HookMoment[];
}

/** A moment at which hooks run: before a call, after a call, or when the model is about to stop. */
export type HookMoment = 'before' | 'after' | 'stop';

/** An event in a conversation, as passed to a hook. */
export interface HookEvent {
  readonly moment: HookMoment;
  /** The tool's name in permission rules, or else its registered name. */
  readonly tool?: string;
  readonly input?: unknown;
  /** The result of the call, or the model's last message if it is about to stop. */
  readonly text?: string;
  /** Set if the skill should also run its shared hooks. */
  readonly shared?: true;
}

/**
 * A hook's verdict. Before a call, an objection blocks the call. After a call, the objection is added to the
 * result. At `stop`, it makes the model continue.
 */
export interface HookVerdict {
  readonly objection?: string;
}
