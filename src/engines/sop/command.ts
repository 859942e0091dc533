import type { ErrorData, Json, JsonObject } from '../../core/index.ts';

/**
 * The commands available in every plan. A host command with the same name replaces a basic command. The basic
 * commands have no side effects.
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

/** Whether a name belongs to a basic command. */
export function isBasicCommand(name: string): boolean {
  return basicCommands.some((command) => command.name === name);
}

/** A command that a plan's steps can run. */
export interface SopCommand {
  readonly name: string;
  readonly description?: string;
  /**
   * The JSON Schema of the command's input. Without a schema, the command receives a single argument
   * unchanged, or several arguments joined into one string.
   */
  readonly input?: JsonObject;
  /** The order of positional arguments. Default: the order of the schema's properties. */
  readonly argumentNames?: readonly string[];
  /** Set if the command accepts only literal arguments, because an inserted value could run as a command. */
  readonly isLiteral?: true;
  /** Set if the command never runs concurrently with another sequential command. */
  readonly isSequential?: true;
  /** Set if the command's result is the plan's answer. */
  readonly isAnswer?: true;
  /** Set if the command ends the plan without providing an answer. */
  readonly endsPlan?: true;
  /**
   * Runs the command once. Returning a JSON value means success, and throwing an error means failure.
   * Returning undefined gives the step the status `undefined`. A verdict expresses any other outcome.
   */
  run(call: CommandCall): SopResult | Promise<SopResult>;
}

/** A command's result. */
export type SopResult = Json | CommandVerdict | undefined;

/** One execution of a command. */
export interface CommandCall {
  readonly command: string;
  /** The variable to which the result is assigned. */
  readonly variable: string;
  /** The item's zero-based index, if the command runs for each item of a list. */
  readonly index?: number;
  /** The arguments in the form that the command takes. */
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
  /** Reports that the command is waiting for human input. From then on, it does not block other commands. */
  waits(): void;
}

/** The commands that a plan may use: a list, or an index when there are many. */
export type SopCommands = readonly SopCommand[] | CommandIndex;

/** An index that finds commands by name. */
export interface CommandIndex {
  find(name: string): SopCommand | undefined;
  /** Returns the command names, which are used for suggestions. */
  names(): Iterable<string>;
}

const marker = Symbol.for('skilled.SopVerdict');

/** The outcome of a command that does not return a value. Only the functions in this file create verdicts. */
export type CommandVerdict = { readonly [marker]: true } & (
  | { readonly status: 'fail'; readonly error: ErrorData }
  | { readonly status: 'canceled'; readonly reason: string }
  | { readonly status: 'waiting'; readonly question: Json }
  | { readonly status: 'impossible'; readonly reason: string }
);

/** Creates a verdict that cancels the step and everything that depends on it, without a failure. */
export function cancelStep(reason: string): CommandVerdict {
  return { [marker]: true, status: 'canceled', reason };
}

/** Creates a verdict that fails the step with an error. */
export function failStep(error: ErrorData): CommandVerdict {
  return { [marker]: true, status: 'fail', error };
}

/** Creates a verdict that suspends the step until the user answers. Only dependent steps wait. */
export function waitFor(question: Json): CommandVerdict {
  return { [marker]: true, status: 'waiting', question };
}

/** Creates a verdict that ends the whole plan at once because its goal cannot be reached. */
export function giveUp(reason: string): CommandVerdict {
  return { [marker]: true, status: 'impossible', reason };
}

/** Whether a command's result is a verdict rather than a value. */
export function isVerdict(value: unknown): value is CommandVerdict {
  return typeof value === 'object' && value !== null && marker in value;
}
