import type { ErrorData, Json, JsonObject } from '../../core/index.ts';

/** The commands that every plan has, unless the host lists its own of that name; all of them without an effect. */
export const basicCommands: readonly SopCommand[] = [
  {
    name: 'assign',
    description: 'Binds what it is given: one argument as it is, several as one text.',
    run: ({ input }) => input,
  },
  {
    name: 'final_answer',
    description: 'Gives the answer of the plan: one argument as it is, several as one text.',
    isAnswer: true,
    run: ({ input }) => input,
  },
  {
    name: 'cannot_complete',
    description: 'Ends the plan at once, because what it is for cannot be done; takes the reason.',
    endsPlan: true,
    run: ({ input }) => giveUp(reasonIn(input)),
  },
];

function reasonIn(input: Json): string {
  const text = typeof input === 'string' ? input.trim() : JSON.stringify(input);
  return text === '' ? 'no reason is given' : text;
}

/** Whether a name is that of a command that every plan has. */
export function isBasicCommand(name: string): boolean {
  return basicCommands.some((command) => command.name === name);
}

/** Something that the steps of a plan may do. */
export interface SopCommand {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its input. Without one it takes a single argument as it is, and several as one text. */
  readonly input?: JsonObject;
  /** The order of arguments without a key; that of the properties of its schema unless given. */
  readonly argumentNames?: readonly string[];
  /** Its arguments must be written out: a value that stood in them could become a command. */
  readonly isLiteral?: true;
  /** Runs beside no other such command. */
  readonly isSequential?: true;
  /** Its value is the answer of the plan. */
  readonly isAnswer?: true;
  /** It ends the plan without an answer. */
  readonly endsPlan?: true;
  /**
   * Does it once. A JSON value is success, undefined is the status of that name, what is thrown is failure; the rest
   * is said with a verdict.
   */
  run(call: CommandCall): SopResult | Promise<SopResult>;
}

/** What a command comes to. */
export type SopResult = Json | CommandVerdict | undefined;

/** One execution of a command. */
export interface CommandCall {
  readonly command: string;
  /** The variable that its result is bound to. */
  readonly variable: string;
  /** Of the item, counted from 0, where it runs for each of a list. */
  readonly index?: number;
  /** The arguments as the command takes them. */
  readonly input: Json;
  /** The arguments without a key, in their order. */
  readonly arguments: readonly Json[];
  /** The line of its step. */
  readonly line: number;
  readonly comment?: string;
  /** What a person answered to the question that it waited for. */
  readonly answer?: Json;
  /** Tells it from every other execution of the same session. */
  readonly key: string;
  /** Aborted when nothing is made of its result any more. */
  readonly signal: AbortSignal;
  /** Says that it waits for a person while its promise is open: from then on it keeps no other command from running. */
  waits(): void;
}

/** The commands that a plan may name: a list, or a place to look them up when there are many. */
export type SopCommands = readonly SopCommand[] | CommandIndex;

/** Commands that are found by name. */
export interface CommandIndex {
  find(name: string): SopCommand | undefined;
  /** For suggestions. */
  names(): Iterable<string>;
}

const marker = Symbol.for('skilled.SopVerdict');

/** What a command says of itself that is not a value; made by the functions below alone. */
export type CommandVerdict = { readonly [marker]: true } & (
  | { readonly status: 'fail'; readonly error: ErrorData }
  | { readonly status: 'canceled'; readonly reason: string }
  | { readonly status: 'waiting'; readonly question: Json }
  | { readonly status: 'impossible'; readonly reason: string }
);

/** The step and all that depends on it are not done, which is no failure. */
export function cancelStep(reason: string): CommandVerdict {
  return { [marker]: true, status: 'canceled', reason };
}

/** The step failed for this reason. */
export function failStep(error: ErrorData): CommandVerdict {
  return { [marker]: true, status: 'fail', error };
}

/** The step goes on when somebody has answered; until then only what depends on it waits. */
export function waitFor(question: Json): CommandVerdict {
  return { [marker]: true, status: 'waiting', question };
}

/** The whole plan ends at once: what it is for cannot be done. */
export function giveUp(reason: string): CommandVerdict {
  return { [marker]: true, status: 'impossible', reason };
}

/** Whether a result of a command is a verdict and not a value. */
export function isVerdict(value: unknown): value is CommandVerdict {
  return typeof value === 'object' && value !== null && marker in value;
}
