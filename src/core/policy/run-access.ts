/**
 * What a run may do, in addition to the rules of the project. It only removes permissions, and it applies to
 * every call of the run, also after a restart.
 */
export interface RunAccess {
  /**
   * The names of the skills that the run may start, as patterns with `*`. A skill that was started may call
   * others as usual. Without this list, the run may start every skill.
   */
  readonly skills?: readonly string[];
  /** The only uses of tools that are allowed, as rules such as `Read` or `Bash(git diff *)`. */
  readonly allow?: readonly string[];
  /** Uses of tools that are denied. */
  readonly deny?: readonly string[];
}
