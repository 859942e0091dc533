/** Where something stands in a script; both counted from 1, columns in UTF-16 units. */
export interface ScriptPosition {
  readonly line: number;
  readonly column: number;
}

/** Text that is given as it stands. */
export interface Literal {
  readonly kind: 'text';
  readonly text: string;
  readonly place: ScriptPosition;
}

/** The value of a variable, or something in it: `$name`, `$name.field.0`. */
export interface Reference {
  readonly kind: 'reference';
  /** As written, without the dollar sign; which part of it names the variable depends on the variables there are. */
  readonly path: string;
  readonly place: ScriptPosition;
}

/** What a command is given; a key makes it a named one. */
export type Argument = (Literal | Reference) & { readonly key?: string };

/** Lets a step happen only if a value is there, or only if none is. */
export interface Guard {
  readonly of: Reference;
  readonly isNegated: boolean;
}

/** One line of a plan: a variable and the command whose result it is bound to. */
export interface PlanStep {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly Argument[];
  /** The list for each item of which the command runs. */
  readonly each?: Reference;
  readonly when?: Guard;
  /** What is shown while it runs. */
  readonly comment?: string;
  readonly place: ScriptPosition;
  readonly commandPlace: ScriptPosition;
}

/** A script as it was read, in its order; nothing in it is checked against commands or other steps. */
export interface Plan {
  readonly steps: readonly PlanStep[];
}

/** Whether a command takes an argument of this name, by which `key=value` is told from a word. */
export type Declares = (command: string, key: string) => boolean;
