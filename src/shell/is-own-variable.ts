/** Whether a variable means something only to the script that sets it, and not, like PATH, to the programs it starts. */
export function isOwnVariable(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && !name.endsWith('_proxy');
}
