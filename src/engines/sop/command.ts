import type { ErrorData, Json, JsonObject } from '../../core/index.ts';

/**
 * The commands that are available in every plan. They have no side effects. A host's command with the same
 * name replaces a basic command.
 */
export const basicCommands: readonly SopCommand[] = [
  {
    name: 'assign',
    description:
      'Returns its arguments: a single argument unchanged, several arguments joined into one string.',
    run: ({ input }) => input,
  },
  {
    name: 'final_answer',
    description:
      'Returns the answer of the plan: a single argument unchanged, several arguments joined into one string.',
    isAnswer: true,
    run: ({ input }) => input,
  },
  {
    name: 'cannot_complete',
    description: 'Ends the plan at once because its goal cannot be reached; takes the reason.',
    endsPlan: true,
    run: ({ input }) => giveUp(reasonIn(input)),
  },
];

function reasonIn(input: Json): string {
  const text = typeof input === 'string' ? input.trim() : JSON.stringify(input);
  return text === '' ? 'no reason is given' : text;
}

/** Whether a basic command has this name. */
export function isBasicCommand(name: string): boolean {
  return basicCommands.some((command) => command.name === name);
}

/** A command that a plan's steps can run. */
export interface SopCommand {
  readonly name: string;
  readonly description?: string;
  /**
   * The JSON Schema of the input. Without it, the command receives a single argument unchanged, or several
   * arguments joined as text.
   */
  readonly input?: JsonObject;
  /** The order of positional arguments. Default: the order of the schema's properties. */
  readonly argumentNames?: readonly string[];
  /** Set if arguments must be literals, because an inserted value could run as a command. */
  readonly isLiteral?: true;
  /** Set if the command must not run at the same time as another sequential command. */
  readonly isSequential?: true;
  /** Set if the result of the command is the plan's answer. */
  readonly isAnswer?: true;
  /** Set if the command ends the plan without an answer. */
  readonly endsPlan?: true;
  /**
   * Runs the command once. Returns a JSON value if it succeeds, throws if it fails, and returns a verdict for
   * any other outcome. A result of undefined gives the step the status `undefined`.
   */
  run(call: CommandCall): SopResult | Promise<SopResult>;
}

/** A command's result. */
export type SopResult = Json | CommandVerdict | undefined;

/** One execution of a command. */
export interface CommandCall {
  readonly command: string;
  /** The variable that receives the result. */
  readonly variable: string;
  /** The zero-based index of the list item for which the command runs. */
  readonly index?: number;
  /** The input that the arguments were converted to. */
  readonly input: Json;
  /** The positional arguments, in order. */
  readonly arguments: readonly Json[];
  /** The line number of the step. */
  readonly line: number;
  readonly comment?: string;
  /** The user's answer to the question that the command was waiting for. */
  readonly answer?: Json;
  /** A key that is unique among the executions of a session. */
  readonly key: string;
  /** Aborts when the command's result is no longer needed. */
  readonly signal: AbortSignal;
  /**
   * Reports that the command has started to wait for the user. From then on, it does not block other
   * commands.
   */
  waits(): void;
}

/** The commands that a plan can use. If there are many commands, an index is faster than a list. */
export type SopCommands = readonly SopCommand[] | CommandIndex;

/** Finds commands by name. */
export interface CommandIndex {
  find(name: string): SopCommand | undefined;
  /** Returns all names. They are used for suggestions. */
  names(): Iterable<string>;
}

const marker = Symbol.for('skilled.SopVerdict');

/** An outcome of a command other than a value. Created by `cancelStep`, `failStep`, `waitFor` and `giveUp`. */
export type CommandVerdict = { readonly [marker]: true } & (
  | { readonly status: 'fail'; readonly error: ErrorData }
  | { readonly status: 'canceled'; readonly reason: string }
  | { readonly status: 'waiting'; readonly question: Json }
  | { readonly status: 'impossible'; readonly reason: string }
);

/**
 * Creates a verdict that cancels the step and all steps that depend on it. A canceled step has not failed.
 */
export function cancelStep(reason: string): CommandVerdict {
  return { [marker]: true, status: 'canceled', reason };
}

/** Creates a verdict that fails the step with an error. */
export function failStep(error: ErrorData): CommandVerdict {
  return { [marker]: true, status: 'fail', error };
}

/**
 * Creates a verdict that suspends the step until the user answers a question. Only steps that depend on this
 * step also wait.
 */
export function waitFor(question: Json): CommandVerdict {
  return { [marker]: true, status: 'waiting', question };
}

/** Creates a verdict that ends the plan immediately, because its goal cannot be reached. */
export function giveUp(reason: string): CommandVerdict {
  return { [marker]: true, status: 'impossible', reason };
}

/** Whether a command's result is a verdict rather than a value. */
export function isVerdict(value: unknown): value is CommandVerdict {
  return typeof value === 'object' && value !== null && marker in value;
}
