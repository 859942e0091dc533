/** A position in a script. Line and column are one-based; columns count UTF-16 units. */
export interface ScriptPosition {
  readonly line: number;
  readonly column: number;
}

/** Literal text. */
export interface PlanLiteral {
  readonly kind: 'text';
  readonly text: string;
  readonly position: ScriptPosition;
}

/** A reference to a variable's value or to part of it, for example `$name` or `$name.field.0`. */
export interface PlanReference {
  readonly kind: 'reference';
  /**
   * The path as written, without the dollar sign. A variable's name can contain dots, so its end is
   * determined only when the reference is resolved.
   */
  readonly path: string;
  readonly position: ScriptPosition;
}

/** A command argument. An argument with a key is a named argument. */
export type PlanArgument = (PlanLiteral | PlanReference) & { readonly key?: string };

/** A condition that runs a step only if a value is present or, if negated, only if the value is empty. */
export interface PlanGuard {
  readonly of: PlanReference;
  readonly isNegated: boolean;
}

/** A step of a plan: a variable, and the command that provides the variable's value. */
export interface PlanStep {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly PlanArgument[];
  /** The list of items that the command runs for, once per item. */
  readonly each?: PlanReference;
  readonly when?: PlanGuard;
  /** The comment shown while the step runs. */
  readonly comment?: string;
  readonly position: ScriptPosition;
  readonly commandPosition: ScriptPosition;
}

/** A parsed script with its steps in order. It has not been checked against commands or other steps. */
export interface Plan {
  readonly steps: readonly PlanStep[];
}

/** Whether a command has a parameter with this name. Used to distinguish `key=value` from plain text. */
export type Declares = (command: string, key: string) => boolean;
