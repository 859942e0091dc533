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
  /** @deprecated Use `position`. */
  readonly place?: ScriptPosition;
}

/** A reference to a variable's value or to part of it, for example `$name` or `$name.field.0`. */
export interface PlanReference {
  readonly kind: 'reference';
  /**
   * The path without its dollar sign. Only resolving the reference shows where the variable's name ends,
   * because the name can contain dots.
   */
  readonly path: string;
  readonly position: ScriptPosition;
  /** @deprecated Use `position`. */
  readonly place?: ScriptPosition;
}

/** An argument of a command. An argument with a key is a named argument. */
export type PlanArgument = (PlanLiteral | PlanReference) & { readonly key?: string };

/**
 * A condition for running a step. The referenced value must not be empty or, if the guard is negated, must be
 * empty.
 */
export interface PlanGuard {
  readonly of: PlanReference;
  readonly isNegated: boolean;
}

/** A step of a plan: a variable, and the command that provides the variable's value. */
export interface PlanStep {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly PlanArgument[];
  /** The list in an `each` step. The command runs once for each item. */
  readonly each?: PlanReference;
  readonly when?: PlanGuard;
  /** The comment above the step, which is shown while the step runs. */
  readonly comment?: string;
  readonly position: ScriptPosition;
  /** @deprecated Use `position`. */
  readonly place?: ScriptPosition;
  readonly commandPosition: ScriptPosition;
  /** @deprecated Use `commandPosition`. */
  readonly commandPlace?: ScriptPosition;
}

/** A parsed script. Its steps have not been checked yet. */
export interface Plan {
  readonly steps: readonly PlanStep[];
}

/** Whether a command has a parameter with this name. If not, `key=value` is plain text. */
export type Declares = (command: string, key: string) => boolean;
