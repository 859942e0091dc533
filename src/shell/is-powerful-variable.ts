const powerful =
  /^(?:PATH|IFS|ENV|BASH_.*|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHONSTARTUP)$/;

/** Whether a shell, or what loads programs, reads a variable to find or to start them. */
export function isPowerfulVariable(name: string): boolean {
  return powerful.test(name);
}
